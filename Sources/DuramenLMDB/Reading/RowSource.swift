import DuramenModel
import DuramenQuery
import DuramenStore

/// The rows of a transaction, for predicates and orders that follow relationships, with the last ones kept.
final class RowSource: EvaluationSource {
    // Enough for the destinations of many rows, such as a few thousand regions of a million quakes.
    private static let capacity = 4_096

    private let rows: RowReading
    private let known = KnownRows()

    init(_ rows: RowReading) { self.rows = rows }

    var model: ManagedObjectModel { rows.schema.model }
    var store: StoreHandle { rows.schema.handle }

    func row(for id: ManagedObjectID) throws(StoreError) -> Row? {
        if let row = known.rows[id] { return row }
        let row = try rows.batch(of: id).first
        if known.rows.count >= Self.capacity { known.rows.removeAll(keepingCapacity: true) }
        known.rows.updateValue(row, forKey: id)
        return row
    }

    func destinations(
        of relationship: Relationship, from id: ManagedObjectID
    ) throws(StoreError) -> [ManagedObjectID] {
        if known.indexNumbers == nil {
            let meta = MetaTable(transaction: rows.transaction, table: rows.schema.meta)
            known.indexNumbers = try meta.indexList().numbers(of: rows.schema.indexes)
        }
        return try DestinationRequest(
            rows: rows, indexNumbers: known.indexNumbers ?? [], scans: known.scans
        )
        .destinations(of: relationship, from: [id]).first ?? []
    }

    private final class KnownRows {
        var rows: [ManagedObjectID: Row?] = [:]
        var indexNumbers: [UInt32?]?
        let scans = TableScans()
    }
}
