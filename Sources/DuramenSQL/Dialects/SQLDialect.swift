package import DuramenQuery

/// The SQL syntax of one engine.
///
/// A member that returns nil leaves the condition to the evaluator.
package protocol SQLDialect: Sendable {
    // MARK: - Names, values and parameters

    /// Returns the placeholder of the parameter at an index that counts from 1.
    func placeholder(_ number: Int, _ type: SQLParameterType) -> String
    /// Returns a condition that always or never holds.
    func truth(_ value: Bool) -> String
    /// Returns null as a value of a kind.
    func null(as kind: SQLKind) -> String
    /// Returns a column for a comparison for which its index must not be used.
    func hint(_ column: String) -> String
    /// Returns a value, or another one if it is null.
    func ifNull(_ value: String, _ other: String) -> String
    /// Returns a text that is not a column, to be compared by its bytes.
    func collated(_ text: String) -> String
    /// The join of tables without a condition of its own.
    var freeJoin: String { get }
    /// The join of tables that are read in the order in which they stand.
    var nestedJoin: String { get }
    /// The parameter of LIMIT for no limit.
    var noLimit: SQLParameter { get }

    // MARK: - Comparisons

    /// Returns an equality for which two nulls are equal. Against a value that is not null, `=`
    /// serves, with an index.
    func same(_ left: String, _ right: String) -> String
    /// Returns the opposite of ``same(_:_:)``.
    func different(_ left: String, _ right: String) -> String
    /// Returns a condition that a list contains a column's value.
    ///
    /// - Parameters:
    ///   - column: The column.
    ///   - list: The placeholder of an array if ``hasArrays``, else placeholders with commas.
    func member(_ column: String, _ list: String) -> String
    /// Whether a list is one parameter, ``SQLParameter/list(_:)``.
    var hasArrays: Bool { get }
    /// Whether each column has one type, and compares with values of that type only.
    ///
    /// If so, ``TypedNumbers`` prepares numbers, the end of a range of texts is a text, and the
    /// values of groups are columns, each of the type of its ``SQLKind``. If not, the end of a
    /// range may be any bytes, and the engine boxes the values of groups.
    var isTyped: Bool { get }
    /// Whether columns of decimals are exact, and compare with ``SQLParameter/decimal(_:)``.
    var comparesDecimals: Bool { get }

    // MARK: - Text

    /// The form of the texts that ``bytesContain(_:_:)`` and ``bytesEnd(_:count:_:)`` search.
    var searchForm: ParameterForm { get }
    /// Returns a condition that the bytes of a text contain those of a parameter in the
    /// ``searchForm``.
    func bytesContain(_ text: String, _ needle: String) -> String
    /// Returns a condition that the last `count` bytes of a text are those of a parameter in the
    /// ``searchForm``.
    func bytesEnd(_ text: String, count: Int, _ ending: String) -> String
    /// Returns a column as a sort key: texts by their bytes, null before all values.
    func sortKey(_ column: String, isText: Bool, ascending: Bool) -> String
    /// Returns a text folded by the evaluator's own rules; nil if the engine cannot call them.
    func folded(_ text: String, _ options: PredicateComparison.Options) -> String?

    // MARK: - Calculating

    /// Returns the operator that calculates a function as the evaluator does; nil for none.
    func arithmetic(_ function: FetchFunction, _ kinds: [SQLKind]) -> String?
    /// Returns whether MIN and MAX accept values of a kind, and order them as the evaluator does.
    func hasExtremes(of kind: SQLKind) -> Bool
    /// Returns the exact sum of integers, 0 for none, as a decimal; nil if the engine has none.
    func wholeSum(_ integers: String) -> String?
    /// Returns a call of the evaluator with a specification, as ``SQLCall`` parses it, and
    /// arguments. Nil if the engine cannot call it.
    func call(_ specification: String, _ arguments: [String]) -> String?
    /// Returns an aggregate of a group as the evaluator computes it, as one ``BoxedValue``; nil if
    /// the engine cannot.
    func aggregate(_ function: FetchFunction, _ kind: SQLKind, _ argument: String) -> String?
    /// Returns all values of a group that are not null, as one ``BoxedValue``; nil if the engine
    /// cannot.
    func collect(_ kind: SQLKind, _ argument: String) -> String?

    // MARK: - Limits

    /// The largest number of parameters of one statement.
    var maximumParameters: Int { get }
    /// Returns whether the engine's parser has room for a condition.
    func fits(_ text: String) -> Bool
}

extension SQLDialect {
    /// Returns an identifier in quotes, with doubled quotes inside.
    package func quote(_ name: String) -> String { SQLQuoting.identifier(name) }

    /// Returns a condition that is never null: true exactly when `condition` is true.
    package func isTrue(_ condition: String) -> String { "((\(condition)) IS TRUE)" }

    /// Returns the name of the aggregate for the smallest or greatest value; nil for another
    /// function, or if the engine has no such aggregate for the kind.
    package func extreme(_ function: FetchFunction, _ kind: SQLKind) -> String? {
        switch function {
        case .min where hasExtremes(of: kind): "MIN"
        case .max where hasExtremes(of: kind): "MAX"
        default: nil
        }
    }
}
