/// A function that expressions can call; its raw value is the name in format strings.
///
/// The result is null if an argument is null or has a wrong type; functions of collections ignore
/// such values. Integers stay integers while they fit 64 bits, and become doubles beyond. A decimal
/// with an integer gives a decimal, with a double a double. A Boolean counts as 1 or 0.
public enum FetchFunction: String, Sendable, Hashable, Codable, CaseIterable {
    // MARK: Aggregates of a collection, or of several arguments. Nulls are ignored.

    /// The number of elements.
    case count
    /// The sum; 0 without values.
    case sum
    /// The arithmetic mean; null without values.
    case average
    /// The smallest value; null without values.
    case min
    /// The greatest value; null without values.
    case max
    /// The middle number, or the mean of the two middle numbers; null without values.
    case median
    /// The most frequent values, ascending.
    case mode
    /// The population standard deviation; null without values.
    case stddev
    /// The distinct values, ascending.
    case distinct = "distinctUnionOfObjects"

    // MARK: Arithmetic

    /// `a + b`; a date and seconds give a date.
    case add = "add:to:"
    /// `a - b`; a date minus seconds gives a date, and a date minus a date gives seconds.
    case subtract = "from:subtract:"
    /// `a * b`
    case multiply = "multiply:by:"
    /// `a / b`; integers are divided with truncation towards zero. Null for a divisor of 0.
    case divide = "divide:by:"
    /// The remainder of ``divide``; null for 0.
    case modulus = "modulus:by:"
    /// `a ** b`, a double.
    case raise = "raise:toPower:"
    /// `-a`
    case negate = "negate:"
    /// The square root; null for a negative number.
    case sqrt
    /// The logarithm to base 10; null for 0 and negative numbers.
    case log
    /// The natural logarithm; null for 0 and negative numbers.
    case ln
    /// e to a power.
    case exp
    /// The greatest integer that is not greater than the number.
    case floor
    /// The smallest integer that is not smaller than the number.
    case ceiling
    /// The integer part of the number.
    case trunc
    /// The absolute value.
    case abs

    // MARK: Bits of integers

    /// `a & b`
    case bitwiseAnd = "bitwiseAnd:with:"
    /// `a | b`
    case bitwiseOr = "bitwiseOr:with:"
    /// `a ^ b`
    case bitwiseXor = "bitwiseXor:with:"
    /// `a << b`
    case leftShift = "leftshift:by:"
    /// `a >> b`, which keeps the sign.
    case rightShift = "rightshift:by:"
    /// `~a`
    case onesComplement = "onesComplement:"

    // MARK: Text

    /// The text in upper case, independent of language.
    case uppercase = "uppercase:"
    /// The text in lower case, independent of language.
    case lowercase = "lowercase:"
    /// The text without case and diacritical marks, as ``TextFolding`` folds it.
    case canonical = "canonical:"
    /// The sort key of the text, whose bytes have the order of
    /// ``FetchSortDescriptor/Comparison/localizedStandard``.
    case localized = "localized:"
    /// The number of Unicode scalars of a text, of bytes, or of elements.
    case length = "length:"

    // MARK: Collections

    /// The distinct elements of both collections, ascending.
    case union
    /// The distinct elements that are in both collections, ascending.
    case intersect
    /// The distinct elements of the first collection that are not in the second, ascending.
    case minus
    /// `a[b]`: the element at an index from 0, or the value of a key; null if there is none.
    case element = "objectFrom:withIndex:"
    /// `a[FIRST]`
    case first
    /// `a[LAST]`
    case last

    // MARK: Others

    /// The time at which the predicate is bound.
    case now
    /// A random double from 0 to below 1, different for each object.
    case random
    /// A random integer from 0 to below the argument.
    case randomn
    /// The argument itself, evaluated without an index.
    case noindex = "noindex:"
    /// The distance in metres between two places on the earth, each a latitude and a longitude in
    /// degrees.
    case distance = "distanceToLocation:fromLocation:"

    /// The permitted numbers of arguments.
    public var arity: ClosedRange<Int> {
        switch self {
        case .now, .random: 0...0
        case .count, .sum, .average, .min, .max, .median, .mode, .stddev: 1...Int.max
        case .add, .subtract, .multiply, .divide, .modulus, .raise, .bitwiseAnd, .bitwiseOr,
            .bitwiseXor, .leftShift, .rightShift, .union, .intersect, .minus, .element, .distance:
            2...2
        default: 1...1
        }
    }

    /// Whether the function uses the elements of its argument.
    public var isOfCollection: Bool {
        switch self {
        case .union, .intersect, .minus, .element, .first, .last: true
        default: isAggregate
        }
    }

    /// Whether the function aggregates a group of rows if its single argument is an expression on a
    /// row.
    public var isAggregate: Bool {
        switch self {
        case .count, .sum, .average, .min, .max, .median, .mode, .stddev, .distinct: true
        default: false
        }
    }

    /// Finds a function by one of its names in format strings. The colon at the end is optional.
    init?(name: String) {
        switch name {
        case "avg": self = .average
        case "uppercaseString": self = .uppercase
        case "lowercaseString": self = .lowercase
        default:
            let other = name.hasSuffix(":") ? String(name.dropLast()) : name + ":"
            guard let function = FetchFunction(rawValue: name) ?? FetchFunction(rawValue: other)
            else { return nil }
            self = function
        }
    }
}
