/// An operator between two operands of a format string.
struct FormatOperator {
    enum Meaning {
        case or
        case and
        case comparison(PredicateComparison.Operator)
        case function(FetchFunction)
    }

    let level: OperatorLevel
    let meaning: Meaning

    private init(_ level: OperatorLevel, _ meaning: Meaning) {
        self.level = level
        self.meaning = meaning
    }

    /// Creates the operator of a sign; nil if there is none.
    init?(_ sign: FormatSign) {
        guard let found = Self.signs[sign] else { return nil }
        self = found
    }

    /// Creates the operator of a word; nil if there is none.
    init?(_ word: ReservedWord) {
        guard let found = Self.words[word] else { return nil }
        self = found
    }

    // MARK: - The table

    /// Every operator in its usual spelling, followed by alternative spellings.
    private static let spellings: [(String, FormatOperator)] = {
        let comparisons = PredicateComparison.Operator.allCases.map {
            ($0.formatSpelling, FormatOperator(.comparison, .comparison($0)))
        }
        let functions = FetchFunction.allCases.compactMap { function in
            function.infix.map { ($0.sign, FormatOperator($0.level, .function(function))) }
        }
        let chains: [(String, FormatOperator)] = [
            ("OR", FormatOperator(.or, .or)), ("||", FormatOperator(.or, .or)),
            ("AND", FormatOperator(.and, .and)), ("&&", FormatOperator(.and, .and)),
        ]
        let aliases = [
            ("=", PredicateComparison.Operator.equal), ("<>", .notEqual), ("=<", .lessOrEqual),
            ("=>", .greaterOrEqual),
        ].map { ($0.0, FormatOperator(.comparison, .comparison($0.1))) }
        return comparisons + functions + chains + aliases
    }()

    private static let signs: [FormatSign: FormatOperator] = Dictionary(
        uniqueKeysWithValues: spellings.compactMap { spelling, found in
            FormatSign(spelling).map { ($0, found) }
        })

    private static let words: [ReservedWord: FormatOperator] = Dictionary(
        uniqueKeysWithValues: spellings.compactMap { spelling, found in
            ReservedWord(spelling).map { ($0, found) }
        })
}
