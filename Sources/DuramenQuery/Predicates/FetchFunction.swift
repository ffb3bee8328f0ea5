/// A function that expressions may call; its raw value is the name in format strings.
///
/// What is null or of another type than a function takes makes its result null; functions of
/// collections leave it out. Whole numbers stay whole as long as they fit 64 bits and are doubles
/// from there on; a decimal with a whole number is a decimal, with a double a double. A boolean
/// counts as 1 or 0.
public enum FetchFunction: String, Sendable, Hashable, Codable, CaseIterable {
    // MARK: Of collections, or of all arguments when there are several. Nulls are left out.

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
    /// The median: the middle number, or the mean of the two in the middle; null without values.
    case median
    /// The most frequent values, ascending.
    case mode
    /// The standard deviation of the numbers as a whole population; null without values.
    case stddev
    /// Each different value once, ascending.
    case distinct = "distinctUnionOfObjects"

    // MARK: Arithmetic

    /// `a + b`; a date and seconds give a date.
    case add = "add:to:"
    /// `a - b`; a date less seconds gives a date, less a date the seconds between.
    case subtract = "from:subtract:"
    /// `a * b`
    case multiply = "multiply:by:"
    /// `a / b`; whole numbers are divided as such, towards zero. Null for 0.
    case divide = "divide:by:"
    /// The remainder of ``divide``; null for 0.
    case modulus = "modulus:by:"
    /// `a ** b`, a double.
    case raise = "raise:toPower:"
    /// `-a`
    case negate = "negate:"
    /// The square root; null of less than 0.
    case sqrt
    /// The logarithm to base 10; null of less than or equal to 0.
    case log
    /// The natural logarithm; null of less than or equal to 0.
    case ln
    /// e to a power.
    case exp
    /// The greatest whole number that is not greater.
    case floor
    /// The smallest whole number that is not smaller.
    case ceiling
    /// The whole number towards zero.
    case trunc
    /// The magnitude.
    case abs

    // MARK: Bits of whole numbers

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

    /// The text in upper case, without regard to language.
    case uppercase = "uppercase:"
    /// The text in lower case, without regard to language.
    case lowercase = "lowercase:"
    /// The text without regard to case and marks, as ``TextFolding`` folds it.
    case canonical = "canonical:"
    /// The key of the text, whose bytes are in the order of
    /// ``FetchSortDescriptor/Comparison/localizedStandard``.
    case localized = "localized:"
    /// The number of Unicode scalars of a text, of bytes, or of elements.
    case length = "length:"

    // MARK: Collections

    /// The elements of both, each different one once, ascending.
    case union
    /// The elements of the first that the second has too, each different one once, ascending.
    case intersect
    /// The elements of the first that the second has not, each different one once, ascending.
    case minus
    /// `a[b]`: the element at a place that counts from 0, or behind a key; null when there is none.
    case element = "objectFrom:withIndex:"
    /// `a[FIRST]`
    case first
    /// `a[LAST]`
    case last

    // MARK: Others

    /// The time at which the predicate is bound.
    case now
    /// A random double from 0 to below 1, another one for each object.
    case random
    /// A random whole number from 0 to below another one.
    case randomn
    /// The argument itself, for which an engine is not to use an index.
    case noindex = "noindex:"
    /// The metres between two places on the earth, each a latitude and a longitude in degrees.
    case distance = "distanceToLocation:fromLocation:"

    /// How many arguments the function takes.
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

    /// Whether the function looks at the elements of its argument.
    public var isOfCollection: Bool {
        switch self {
        case .union, .intersect, .minus, .element, .first, .last: true
        default: isAggregate
        }
    }

    /// Whether the function sums up a group of rows, when its one argument is an expression on a
    /// row.
    public var isAggregate: Bool {
        switch self {
        case .count, .sum, .average, .min, .max, .median, .mode, .stddev, .distinct: true
        default: false
        }
    }

    /// Finds a function by one of its names in format strings; a colon at its end may be missing,
    /// or stand where none is.
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
