import DuramenSQL
import DuramenStore

/// The statements that add and remove pairs in one table, taken from the cache once per save.
struct PairStatements {
    private let pairs: SQLPairTable
    private let connection: Connection
    /// By whether a pair has a number in the owner's order, and in the destination's.
    private var insertions: [Statement?] = [nil, nil, nil, nil]
    private var removal: Statement?

    init(_ pairs: SQLPairTable, on connection: Connection) {
        self.pairs = pairs
        self.connection = connection
    }

    /// Returns the bound statement that adds a pair, or updates the numbers of an existing one.
    mutating func insertion(
        _ source: Int64, _ destination: Int64, order: Int64?, inverseOrder: Int64?
    ) throws(StoreError) -> Statement {
        let order = pairs.orderColumn == nil ? nil : order
        let inverseOrder = pairs.inverseOrderColumn == nil ? nil : inverseOrder
        let place = (order == nil ? 0 : 1) + (inverseOrder == nil ? 0 : 2)
        let statement: Statement
        if let known = insertions[place] {
            statement = known
        } else {
            statement = try take(insertionSQL(order != nil, inverseOrder != nil))
            insertions[place] = statement
        }
        statement.bind(source, at: 1)
        statement.bind(destination, at: 2)
        if let order { statement.bind(order, at: 3) }
        if let inverseOrder { statement.bind(inverseOrder, at: order == nil ? 3 : 4) }
        return statement
    }

    /// Returns the bound statement that removes a pair.
    mutating func deletion(
        _ source: Int64, _ destination: Int64
    ) throws(StoreError) -> Statement {
        let statement: Statement
        if let removal {
            statement = removal
        } else {
            statement = try take(
                "DELETE FROM \(pairs.table) WHERE \(pairs.ownerColumn) = ? "
                    + "AND \(pairs.destinationColumn) = ?")
            removal = statement
        }
        statement.bind(source, at: 1)
        statement.bind(destination, at: 2)
        return statement
    }

    /// Returns the statements to the cache.
    func giveBack() {
        for case let statement? in insertions + [removal] { connection.giveBack(statement) }
    }

    private func insertionSQL(_ givesOrder: Bool, _ givesInverseOrder: Bool) -> String {
        let numbers = [
            givesOrder ? pairs.orderColumn : nil,
            givesInverseOrder ? pairs.inverseOrderColumn : nil,
        ].compactMap(\.self)
        let columns = [pairs.ownerColumn, pairs.destinationColumn] + numbers
        let assignments = numbers.map { "\($0) = excluded.\($0)" }.joined(separator: ", ")
        return "INSERT INTO \(pairs.table) (\(columns.joined(separator: ", "))) "
            + "VALUES (\(columns.map { _ in "?" }.joined(separator: ", "))) "
            + "ON CONFLICT (\(pairs.ownerColumn), \(pairs.destinationColumn)) DO "
            + (numbers.isEmpty ? "NOTHING" : "UPDATE SET \(assignments)")
    }

    private func take(_ sql: String) throws(StoreError) -> Statement {
        try connection.take(StatementKey(purpose: .other, place: -1, clause: sql)) {
            () throws(StoreError) in sql
        }
    }
}
