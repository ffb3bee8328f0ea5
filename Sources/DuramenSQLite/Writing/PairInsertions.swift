import DuramenSQL
import DuramenStore

/// The statements that add pairs to one table, taken once for all pairs of a save: one for each choice of numbers that
/// pairs bring.
struct PairInsertions {
    private let pairs: SQLPairTable
    /// By whether a number in the owner's order is given, and one in the destination's.
    private var statements: [Statement?] = [nil, nil, nil, nil]

    init(_ pairs: SQLPairTable) { self.pairs = pairs }

    /// The statement with the ends and the numbers that are given and have a column as parameters, bound.
    ///
    /// A pair that is there already gets the numbers.
    mutating func bound(
        _ source: Int64, _ destination: Int64, order: Int64?, inverseOrder: Int64?,
        on connection: Connection
    ) throws(StoreError) -> Statement {
        let order = pairs.orderColumn == nil ? nil : order
        let inverseOrder = pairs.inverseOrderColumn == nil ? nil : inverseOrder
        let place = (order == nil ? 0 : 1) + (inverseOrder == nil ? 0 : 2)
        let statement: Statement
        if let known = statements[place] {
            statement = known
        } else {
            statement = try take(order != nil, inverseOrder != nil, connection)
            statements[place] = statement
        }
        statement.bind(source, at: 1)
        statement.bind(destination, at: 2)
        if let order { statement.bind(order, at: 3) }
        if let inverseOrder { statement.bind(inverseOrder, at: order == nil ? 3 : 4) }
        return statement
    }

    private func take(
        _ givesOrder: Bool, _ givesInverseOrder: Bool, _ connection: Connection
    ) throws(StoreError) -> Statement {
        let numbers = [
            givesOrder ? pairs.orderColumn : nil,
            givesInverseOrder ? pairs.inverseOrderColumn : nil,
        ].compactMap(\.self)
        let columns = [pairs.ownerColumn, pairs.destinationColumn] + numbers
        let assignments = numbers.map { "\($0) = excluded.\($0)" }.joined(separator: ", ")
        let sql =
            "INSERT INTO \(pairs.table) (\(columns.joined(separator: ", "))) "
            + "VALUES (\(columns.map { _ in "?" }.joined(separator: ", "))) "
            + "ON CONFLICT (\(pairs.ownerColumn), \(pairs.destinationColumn)) DO "
            + (numbers.isEmpty ? "NOTHING" : "UPDATE SET \(assignments)")
        return try connection.take(StatementKey(purpose: .other, place: -1, clause: sql)) {
            () throws(StoreError) in sql
        }
    }

    /// Puts the statements back.
    mutating func giveBack(to connection: Connection) {
        for case let statement? in statements { connection.giveBack(statement) }
        statements = [nil, nil, nil, nil]
    }
}
