import DuramenModel

/// A comparison of two expressions by an operator.
public struct PredicateComparison: Sendable, Hashable, Codable {
    /// The operator of a comparison.
    ///
    /// Objects have no order, with one exception: ``FetchExpression/selfObject`` can be compared
    /// with an object ID, in the order of ``ManagedObjectID``. Results without another order come
    /// in that order.
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
        /// Between two values, both included; the right side is a list of two values.
        case between
        /// Equal to one value of a list.
        case isIn
        /// The text on the left contains the text on the right, or the to-many on the left contains
        /// the object on the right. Every text contains the empty text.
        case contains
        /// The text begins with another text.
        case beginsWith
        /// The text ends with another text.
        case endsWith
        /// The whole text matches a pattern. `?` matches one character (Unicode scalar), `*` any
        /// number of characters, and a backslash makes the next character literal.
        case like
        /// The whole text matches a regular expression; see ``RegularExpression``.
        case matches
    }

    /// The options for comparing text. Without options, text is compared by its UTF-8 bytes.
    public struct Options: OptionSet, Sendable, Hashable, Codable {
        /// The bits of the options.
        public let rawValue: UInt8

        /// Creates options from their bits.
        public init(rawValue: UInt8) { self.rawValue = rawValue }

        /// Treats upper and lower case as equal (`[c]`).
        public static let caseInsensitive = Options(rawValue: 1)
        /// Treats letters with and without diacritical marks as equal (`[d]`).
        public static let diacriticInsensitive = Options(rawValue: 2)
        /// States that both texts are normalized (`[n]`). It has no effect, because text is
        /// compared by its bytes.
        public static let normalized = Options(rawValue: 4)
        /// Compares text by letters, then marks, then case, in the order of CLDR's root (`[l]`).
        /// The order does not depend on a language, so that results are equal on every machine.
        /// Searches (`CONTAINS`, `LIKE` and so on) are not affected.
        public static let localeSensitive = Options(rawValue: 8)
        /// With ``localeSensitive``, compares a run of digits as a number (`[ls]`), so that "a 9"
        /// is less than "a 10".
        public static let numeric = Options(rawValue: 16)

        /// Returns the options that affect an operator's result.
        public func effective(for operator: Operator) -> Options {
            let folding: Options = [.caseInsensitive, .diacriticInsensitive]
            switch `operator` {
            case .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual, .between, .isIn:
                if !contains(.localeSensitive) { return intersection(folding) }
                return intersection(folding.union([.localeSensitive, .numeric]))
            case .contains, .beginsWith, .endsWith, .like, .matches: return intersection(folding)
            }
        }
    }

    /// The left side.
    public var left: FetchExpression
    /// The operator.
    public var `operator`: Operator
    /// The right side.
    public var right: FetchExpression
    /// The options for comparing text.
    public var options: Options
    /// The number of values of a to-many that must satisfy the comparison; nil if the left side has
    /// one value.
    public var quantifier: PredicateQuantifier?

    /// Creates a comparison of two expressions.
    public init(
        _ left: FetchExpression, _ operator: Operator, _ right: FetchExpression,
        options: Options = [], quantifier: PredicateQuantifier? = nil
    ) {
        self.quantifier = quantifier
        self.left = left
        self.operator = `operator`
        self.right = right
        self.options = options
    }
}

/// The number of values that must satisfy a condition.
public enum PredicateQuantifier: String, Sendable, Hashable, Codable, CaseIterable {
    /// At least one value; false without values.
    case any
    /// Every value; true without values.
    case all
    /// No value; true without values.
    case none
}

extension PredicateQuantifier {
    /// Returns whether as many elements satisfy the condition as the quantifier requires.
    func holds<Element, Failure: Error>(
        of elements: some Sequence<Element>, _ condition: (Element) throws(Failure) -> Bool
    ) throws(Failure) -> Bool {
        // One element decides: a match for any and none, a mismatch for all.
        let deciding = self != .all
        for element in elements {
            if try condition(element) == deciding { return self == .any }
        }
        return self != .any
    }

    /// Returns a condition on the number of elements.
    ///
    /// - Parameter collection: The elements that satisfy the condition, or for ``all`` its
    ///   negation.
    func comparison(ofCountOf collection: FetchExpression) -> FetchPredicate {
        .comparison(
            PredicateComparison(
                .function(.count, [collection]), self == .any ? .greater : .equal,
                .constant(.integer(0))))
    }

    /// Returns the condition of the elements to count: for ``all``, the elements that do not
    /// satisfy it.
    func counted(_ condition: FetchPredicate) -> FetchPredicate {
        self == .all ? .not(condition) : condition
    }
}
