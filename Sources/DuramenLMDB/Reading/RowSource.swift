import DuramenModel
import DuramenQuery
import DuramenStore

/// The rows of a transaction, for predicates and orders that follow relationships, with a cache of
/// recent rows.
final class RowSource: EvaluationSource {
    // Enough for the destinations of many rows, such as a few thousand regions of a million quakes.
    private static let capacity = 4_096

    private let rows: RowReading
    private var known: [ManagedObjectID: Row?] = [:]
    private var indexNumbers: [UInt32?]?
    private let scans = TableScans()

    init(_ rows: RowReading) { self.rows = rows }

    var model: ManagedObjectModel { rows.schema.model }
    var store: StoreHandle { rows.schema.handle }

    func row(for id: ManagedObjectID) throws(StoreError) -> Row? {
        if let row = known[id] { return row }
        let row = try rows.row(of: id)
        if known.count >= Self.capacity { known.removeAll(keepingCapacity: true) }
        known.updateValue(row, forKey: id)
        return row
    }

    func destinations(
        of relationship: Relationship, from id: ManagedObjectID
    ) throws(StoreError) -> [ManagedObjectID] {
        if indexNumbers == nil {
            indexNumbers = try rows.schema.indexNumbers.numbers(rows.schema, rows.transaction)
        }
        return try DestinationRequest(
            rows: rows, indexNumbers: indexNumbers ?? [], scans: scans
        )
        .destinations(of: relationship, from: [id]).first ?? []
    }
}
