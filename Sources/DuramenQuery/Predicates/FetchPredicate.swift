public import DuramenModel

/// A condition on managed objects: a value to build, print, compare, encode and hand to any store.
///
/// A predicate names properties by their names and knows no model; it is checked when it is bound to
/// an entity. See ``FetchExpression`` for what may be compared.
///
/// Null follows one law on every store: equality with null is ordinary equality (`x != 'a'` holds for
/// a null `x`); order, text, `between` and `in` comparisons with null are false; `not` of those is true.
public indirect enum FetchPredicate: Sendable, Hashable, Codable {
    /// Always true, or always false.
    case constant(Bool)
    /// Compares two expressions.
    case comparison(PredicateComparison)
    /// Asks the objects at the end of a key path, whose last step is a to-many. A step before it may
    /// be a to-one; behind a null there is no object. Destinations that are missing are left out.
    case quantified(PredicateQuantifier, keyPath: [String], FetchPredicate)
    /// True when the predicate is false.
    case not(FetchPredicate)
    /// True when all are true; so for none.
    case and([FetchPredicate])
    /// True when one is true; false for none.
    case or([FetchPredicate])
}

/// How many of the destinations must satisfy a condition.
public enum PredicateQuantifier: String, Sendable, Hashable, Codable, CaseIterable {
    /// At least one; false when there is none.
    case any
    /// Every one; true when there is none.
    case all
    /// Not one; true when there is none.
    case none
}

/// Two expressions and the relation between them.
public struct PredicateComparison: Sendable, Hashable, Codable {
    /// The relation.
    public enum Operator: String, Sendable, Hashable, Codable, CaseIterable {
        /// `==`; null equals null.
        case equal
        /// `!=`; the opposite of ``equal``.
        case notEqual
        /// `<`
        case less
        /// `<=`
        case lessOrEqual
        /// `>`
        case greater
        /// `>=`
        case greaterOrEqual
        /// Within two values, both included; the right side is a list of two.
        case between
        /// One of a list.
        case isIn
        /// The text on the left contains the text on the right (every text contains the empty one),
        /// or the to-many on the left contains the object on the right.
        case contains
        /// The text begins with another.
        case beginsWith
        /// The text ends with another.
        case endsWith
        /// The whole text matches a pattern: `?` is one character (Unicode scalar), `*` any number,
        /// and a backslash takes the next character literally.
        case like
    }

    /// How text is compared; without options, by its UTF-8 bytes.
    public struct Options: OptionSet, Sendable, Hashable, Codable {
        /// The bits.
        public let rawValue: UInt8

        /// Makes options from their bits.
        public init(rawValue: UInt8) { self.rawValue = rawValue }

        /// Upper and lower case are alike (`[c]`).
        public static let caseInsensitive = Options(rawValue: 1)
        /// Letters with and without marks are alike (`[d]`).
        public static let diacriticInsensitive = Options(rawValue: 2)
    }

    /// The left side.
    public var left: FetchExpression
    /// The relation.
    public var `operator`: Operator
    /// The right side.
    public var right: FetchExpression
    /// How text is compared.
    public var options: Options

    /// Relates two expressions.
    public init(
        _ left: FetchExpression, _ operator: Operator, _ right: FetchExpression,
        options: Options = []
    ) {
        self.left = left
        self.operator = `operator`
        self.right = right
        self.options = options
    }
}

/// What a comparison compares.
public indirect enum FetchExpression: Sendable, Hashable, Codable {
    /// A value.
    case constant(StoredValue)
    /// A list of values, for ``PredicateComparison/Operator/isIn`` and
    /// ``PredicateComparison/Operator/between``.
    case list([StoredValue])
    /// An attribute or to-one, reached over to-ones; null when a step before the last is null. A
    /// to-many may stand last only on the left of `contains`.
    case keyPath([String])
    /// The object itself.
    case selfObject
    /// The number of destinations of a to-many, which is the path's last step; 0 behind a null.
    case count(keyPath: [String])
}
