package import DuramenQuery

/// How one engine spells what the compilers need.
package protocol SQLDialect: Sendable {
    /// An identifier between quotes, quotes inside it doubled.
    func quote(_ name: String) -> String
    /// The placeholder of the parameter at a place that counts from 1.
    func placeholder(_ number: Int) -> String
    /// A condition that is never null: true exactly when `condition` is true.
    func isTrue(_ condition: String) -> String
    /// Equality that calls two nulls equal.
    func same(_ left: String, _ right: String) -> String
    /// The opposite of ``same(_:_:)``.
    func different(_ left: String, _ right: String) -> String
    /// Whether the bytes of a text contain those of a parameter of type bytes.
    func bytesContain(_ text: String, _ needle: String) -> String
    /// Whether the last `count` bytes of a text are those of a parameter of type bytes.
    func bytesEnd(_ text: String, count: Int, _ ending: String) -> String
    /// A column as a sort key by its bytes.
    func sortKey(_ column: String, isText: Bool, ascending: Bool) -> String
    /// A text folded by the evaluator's own rules; nil when the engine cannot call them.
    func folded(_ text: String, _ options: PredicateComparison.Options) -> String?
    /// A call of the evaluator: what is done, as ``SQLCall`` reads it, and the arguments. Nil when
    /// the engine cannot call it.
    func call(_ specification: String, _ arguments: [String]) -> String?
    /// An aggregate of a group as the evaluator makes it, as one ``BoxedValue``; nil when the
    /// engine cannot.
    func aggregate(_ function: FetchFunction, _ kind: SQLKind, _ argument: String) -> String?
    /// All values that are not null in a group, as one ``BoxedValue``; nil when the engine cannot.
    func collect(_ kind: SQLKind, _ argument: String) -> String?
    /// The most parameters of one statement.
    var maximumParameters: Int { get }
    /// How deep a condition may be, as ``StatementDepth`` counts.
    var maximumDepth: Int { get }
}

extension SQLDialect {
    /// Standard quotes.
    package func quote(_ name: String) -> String {
        "\""
            + name.split(separator: "\"", omittingEmptySubsequences: false).joined(
                separator: "\"\"")
            + "\""
    }
}

/// The dialect of SQLite.
package struct SQLiteDialect: SQLDialect {
    /// Makes the dialect.
    package init() {}

    // Numbered, so that parts of a condition may be put together in any order.
    package func placeholder(_ number: Int) -> String { "?\(number)" }
    package func isTrue(_ condition: String) -> String { "((\(condition)) IS TRUE)" }
    package func same(_ left: String, _ right: String) -> String { "(\(left) IS \(right))" }
    package func different(_ left: String, _ right: String) -> String {
        "(\(left) IS NOT \(right))"
    }

    // `instr` of blobs, which gives the same, copies every text.
    package func bytesContain(_ text: String, _ needle: String) -> String {
        "\(Self.containmentFunction)(\(text), \(needle))"
    }
    // A blob, because on text `substr` counts characters and stops at a NUL.
    package func bytesEnd(_ text: String, count: Int, _ ending: String) -> String {
        "substr(CAST(\(text) AS BLOB), -\(count)) = \(ending)"
    }
    package func sortKey(_ column: String, isText: Bool, ascending: Bool) -> String {
        column + (isText ? " COLLATE BINARY" : "") + (ascending ? " ASC" : " DESC")
    }
    package func folded(_ text: String, _ options: PredicateComparison.Options) -> String? {
        "\(Self.foldingFunction)(\(text), \(options.rawValue))"
    }
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
    // The rest is for the statement around, and for joining the conditions.
    package var maximumDepth: Int { 84 }

    /// The function that folds text, which every connection registers.
    package static let foldingFunction = "duramen_fold"
    /// The function that looks for bytes in a text, which every connection registers.
    package static let containmentFunction = "duramen_contains"
    /// The function that calls the evaluator, which every connection registers.
    package static let callFunction = "duramen_call"
    /// The aggregate that is the evaluator's own, which every connection registers.
    package static let aggregateFunction = "duramen_aggregate"
    /// The aggregate that collects values, which every connection registers.
    package static let collectFunction = "duramen_collect"
}
