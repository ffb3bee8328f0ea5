import DuramenModel
import DuramenStore

/// The state of a transaction before a change set is written, for derived attributes.
final class StateBefore: DerivationSource {
    private let reading: RowReading
    private let indexNumbers: [UInt32?]
    private let scans = TableScans()

    init(_ reading: RowReading, _ indexNumbers: [UInt32?]) {
        self.reading = reading
        self.indexNumbers = indexNumbers
    }

    func rows(for ids: [ManagedObjectID]) throws(StoreError) -> RowBatch {
        try reading.batch(of: ids)
    }

    func destinations(
        of relationship: Relationship, from id: ManagedObjectID
    ) throws(StoreError) -> [ManagedObjectID] {
        try DestinationRequest(rows: reading, indexNumbers: indexNumbers, scans: scans)
            .destinations(of: relationship, from: [id]).first ?? []
    }
}
