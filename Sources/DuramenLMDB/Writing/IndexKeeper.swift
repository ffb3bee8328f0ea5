import DuramenFileStore
import DuramenStore

/// Has the indexes of to-ones made when something first needs them.
final class IndexKeeper: Sendable {
    private let writer: StoreWriter
    // By places in the schema's list.
    private let deferred: DeferredIndexes

    init(schema: StoreSchema, writer: StoreWriter) {
        self.writer = writer
        deferred = DeferredIndexes(missing: schema.deferredIndexes)
    }

    /// Notes that a snapshot is about to need indexes.
    ///
    /// - Parameter snapshot: Asked for only while an index is missing; without one, nothing is made
    ///   yet.
    func need(
        _ places: [Int], on snapshot: @autoclosure () throws(StoreError) -> LMDBSnapshot
    ) {
        if places.isEmpty { return }
        deferred.need {
            places
        } make: { places in
            guard let snapshot = try? snapshot() else { return false }
            return writer.makeIndexes(
                places, for: snapshot, withinSeconds: DeferredIndexes.patienceSeconds)
        }
    }
}
