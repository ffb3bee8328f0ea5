import DuramenModel

/// Two expressions and the relation between them.
public struct PredicateComparison: Sendable, Hashable, Codable {
    /// The relation.
    ///
    /// Objects have no order, but for ``FetchExpression/selfObject`` against an object ID: it is
    /// that of ``ManagedObjectID``, in which results come that nothing else orders.
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
        /// The whole text matches a regular expression; see ``RegularExpression``.
        case matches
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
        /// The caller vouches that both texts are normalised alike (`[n]`). It changes nothing
        /// here, where text compares by its bytes.
        public static let normalized = Options(rawValue: 4)
        /// Compares text as people look names up (`[l]`): by letters, then marks, then case, in the
        /// order of CLDR's root. The order is independent of any language, so that results are the
        /// same on every machine. Searches (`CONTAINS`, `LIKE` and so on) are not affected.
        public static let localeSensitive = Options(rawValue: 8)
        /// With ``localeSensitive`` the digits of a run are a number (`[ls]`), so that "a 9" is
        /// less than "a 10".
        public static let numeric = Options(rawValue: 16)

        /// The options that the answers of an operator depend on.
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
    /// The relation.
    public var `operator`: Operator
    /// The right side.
    public var right: FetchExpression
    /// How text is compared.
    public var options: Options
    /// How many of a to-many's values the comparison must hold for, or nil if the left side has one
    /// value.
    public var quantifier: PredicateQuantifier?

    /// Relates two expressions.
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

/// How many of the destinations must satisfy a condition.
public enum PredicateQuantifier: String, Sendable, Hashable, Codable, CaseIterable {
    /// At least one value; false without values.
    case any
    /// Every value; true without values.
    case all
    /// No value; true without values.
    case none
}

extension PredicateQuantifier {
    /// Whether the condition holds for as many elements as the quantifier says.
    func holds<Element, Failure: Error>(
        of elements: some Sequence<Element>, _ condition: (Element) throws(Failure) -> Bool
    ) throws(Failure) -> Bool {
        // One element decides: a match for any and none, a miss for all.
        let deciding = self != .all
        for element in elements {
            if try condition(element) == deciding { return self == .any }
        }
        return self != .any
    }

    /// Whether elements that satisfy a condition are to be found, or that there are none.
    ///
    /// - Parameter collection: Those that satisfy the condition, or for ``all`` its negation.
    func comparison(ofCountOf collection: FetchExpression) -> FetchPredicate {
        .comparison(
            PredicateComparison(
                .function(.count, [collection]), self == .any ? .greater : .equal,
                .constant(.integer(0))))
    }

    /// What elements are counted for: all satisfy a condition when none fails to.
    func counted(_ condition: FetchPredicate) -> FetchPredicate {
        self == .all ? .not(condition) : condition
    }
}
