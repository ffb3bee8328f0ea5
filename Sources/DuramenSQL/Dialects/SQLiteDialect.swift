package import DuramenQuery

/// The dialect of SQLite.
package struct SQLiteDialect: SQLDialect {
    /// Creates the dialect.
    package init() {}

    // Numbered, so that parts of a condition may be combined in any order.
    package func placeholder(_ number: Int, _ type: SQLParameterType) -> String { "?\(number)" }
    package func truth(_ value: Bool) -> String { value ? "1" : "0" }
    package func null(as kind: SQLKind) -> String { "NULL" }
    package func hint(_ column: String) -> String { "+" + column }
    package func ifNull(_ value: String, _ other: String) -> String { "ifnull(\(value), \(other))" }
    package func collated(_ text: String) -> String { text }
    package var freeJoin: String { "JOIN" }
    // SQLite: CROSS JOIN keeps the order of the tables (optoverview.html).
    package var nestedJoin: String { "CROSS JOIN" }
    package var noLimit: SQLParameter { .integer(-1) }

    package func same(_ left: String, _ right: String) -> String { "(\(left) IS \(right))" }
    package func different(_ left: String, _ right: String) -> String {
        "(\(left) IS NOT \(right))"
    }
    package func member(_ column: String, _ list: String) -> String { "\(column) IN (\(list))" }
    package var hasArrays: Bool { false }
    package var isTyped: Bool { false }
    package var comparesDecimals: Bool { false }

    package var searchForm: ParameterForm { .textBytes }
    // `instr` of blobs, which is equivalent, copies every text.
    package func bytesContain(_ text: String, _ needle: String) -> String {
        "\(Self.containmentFunction)(\(text), \(needle))"
    }
    // A blob, because `substr` of text counts characters and stops at a NUL.
    package func bytesEnd(_ text: String, count: Int, _ ending: String) -> String {
        "substr(CAST(\(text) AS BLOB), -\(count)) = \(ending)"
    }
    package func sortKey(_ column: String, isText: Bool, ascending: Bool) -> String {
        column + (isText ? " COLLATE BINARY" : "") + (ascending ? " ASC" : " DESC")
    }
    package func folded(_ text: String, _ options: PredicateComparison.Options) -> String? {
        "\(Self.foldingFunction)(\(text), \(options.rawValue))"
    }

    // Whole numbers that do not fit become doubles, and division by 0 gives null.
    package func arithmetic(_ function: FetchFunction, _ kinds: [SQLKind]) -> String? {
        guard kinds.allSatisfy(\.isNumber) else { return nil }
        if kinds.count == 1 { return function == .negate ? "-" : nil }
        guard kinds.count == 2 else { return nil }
        let areWhole = kinds.allSatisfy(\.isWhole)
        switch function {
        case .add: return "+"
        case .subtract: return "-"
        case .multiply: return "*"
        case .divide: return "/"
        case .modulus where areWhole: return "%"
        case .bitwiseAnd where areWhole: return "&"
        case .bitwiseOr where areWhole: return "|"
        default: return nil
        }
    }
    package func hasExtremes(of kind: SQLKind) -> Bool { kind != .boxed && kind != .decimal }
    // SUM of SQLite fails if the sum does not fit 64 bits.
    package func wholeSum(_ integers: String) -> String? { nil }
    package func call(_ specification: String, _ arguments: [String]) -> String? {
        "\(Self.callFunction)('\(specification)'"
            + arguments.map { ", \($0)" }.joined() + ")"
    }
    package func collect(_ kind: SQLKind, _ argument: String) -> String? {
        "\(Self.collectFunction)('\(Character(Unicode.Scalar(kind.rawValue)))', \(argument))"
    }
    package func aggregate(
        _ function: FetchFunction, _ kind: SQLKind, _ argument: String
    ) -> String? {
        let letter = Character(Unicode.Scalar(kind.rawValue))
        return "\(Self.aggregateFunction)('\(function.rawValue)|\(letter)', \(argument))"
    }

    package var maximumParameters: Int { 30_000 }
    package func fits(_ text: String) -> Bool {
        StatementDepth.places(text) <= StatementDepth.maximum
    }

    /// The function that folds text, which every connection registers.
    package static let foldingFunction = "duramen_fold"
    /// The function that searches bytes in a text, which every connection registers.
    package static let containmentFunction = "duramen_contains"
    /// The function that calls the evaluator, which every connection registers.
    package static let callFunction = "duramen_call"
    /// The aggregate that calls the evaluator, which every connection registers.
    package static let aggregateFunction = "duramen_aggregate"
    /// The aggregate that collects values, which every connection registers.
    package static let collectFunction = "duramen_collect"
}
