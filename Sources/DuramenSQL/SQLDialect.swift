package import DuramenQuery

/// The SQL syntax of one engine.
package protocol SQLDialect: Sendable {
    /// Returns an identifier in quotes, with doubled quotes inside.
    func quote(_ name: String) -> String
    /// Returns the placeholder of the parameter at an index that counts from 1.
    func placeholder(_ number: Int) -> String
    /// Returns a condition that is never null: true exactly when `condition` is true.
    func isTrue(_ condition: String) -> String
    /// Returns an equality for which two nulls are equal.
    func same(_ left: String, _ right: String) -> String
    /// Returns the opposite of ``same(_:_:)``.
    func different(_ left: String, _ right: String) -> String
    /// Returns a condition that the bytes of a text contain those of a parameter of type bytes.
    func bytesContain(_ text: String, _ needle: String) -> String
    /// Returns a condition that the last `count` bytes of a text are those of a parameter of type
    /// bytes.
    func bytesEnd(_ text: String, count: Int, _ ending: String) -> String
    /// Returns a column as a sort key by its bytes.
    func sortKey(_ column: String, isText: Bool, ascending: Bool) -> String
    /// Returns a text folded by the evaluator's own rules; nil if the engine cannot call them.
    func folded(_ text: String, _ options: PredicateComparison.Options) -> String?
    /// Returns a call of the evaluator with a specification, as ``SQLCall`` parses it, and
    /// arguments. Nil if the engine cannot call it.
    func call(_ specification: String, _ arguments: [String]) -> String?
    /// Returns an aggregate of a group as the evaluator computes it, as one ``BoxedValue``; nil if
    /// the engine cannot.
    func aggregate(_ function: FetchFunction, _ kind: SQLKind, _ argument: String) -> String?
    /// Returns all values of a group that are not null, as one ``BoxedValue``; nil if the engine
    /// cannot.
    func collect(_ kind: SQLKind, _ argument: String) -> String?
    /// The largest number of parameters of one statement.
    var maximumParameters: Int { get }
    /// The largest depth of a condition, as ``StatementDepth`` counts.
    var maximumDepth: Int { get }
}

extension SQLDialect {
    /// Returns an identifier in standard quotes.
    package func quote(_ name: String) -> String {
        "\""
            + name.split(separator: "\"", omittingEmptySubsequences: false).joined(
                separator: "\"\"")
            + "\""
    }
}

/// The dialect of SQLite.
package struct SQLiteDialect: SQLDialect {
    /// Creates the dialect.
    package init() {}

    // Numbered, so that parts of a condition may be combined in any order.
    package func placeholder(_ number: Int) -> String { "?\(number)" }
    package func isTrue(_ condition: String) -> String { "((\(condition)) IS TRUE)" }
    package func same(_ left: String, _ right: String) -> String { "(\(left) IS \(right))" }
    package func different(_ left: String, _ right: String) -> String {
        "(\(left) IS NOT \(right))"
    }

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
    // The rest is for the enclosing statement, and for combining conditions.
    package var maximumDepth: Int { 84 }

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
