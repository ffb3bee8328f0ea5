import DuramenFileStore
import DuramenStore

/// Creates the indexes of to-ones when they are first needed.
final class IndexKeeper: Sendable {
    private let writer: StoreWriter
    // By position in the schema's list.
    private let deferred: DeferredIndexes

    init(schema: StoreSchema, writer: StoreWriter) {
        self.writer = writer
        deferred = DeferredIndexes(missing: schema.deferredIndexes)
    }

    /// Creates missing indexes for a snapshot.
    ///
    /// - Parameters:
    ///   - places: The positions of the needed indexes.
    ///   - snapshot: Evaluated only while an index is missing; if it throws, no index is created
    ///     yet.
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
