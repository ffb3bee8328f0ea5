import Duramen
import DuramenModel

// Contestants of measurements that count something else than time.
extension DuramenContestants {
    /// Fetches all in a new context, reads every field of each, and holds context and list.
    static func heldObjects(_ dataset: Dataset) throws -> [Contestant] {
        let container = try dataset.sharedQuakeStore().container
        return [
            Contestant(.duramen) {
                var checksum = Checksum()
                let context = container.makeContext()
                let quakes = try context.fetch(FetchRequest<Quake>())
                for quake in quakes { checksum.add(quake) }
                keep(checksum.value)
                return Outcome(quakes.count, holding: (context, quakes))
            }
        ]
    }

    /// Holds the rows of all quakes as the store gives them, which is all that a list of objects
    /// never asked for needs.
    static func heldRows(_ dataset: Dataset) throws -> [Contestant] {
        let store = try dataset.sharedQuakeStore().container.persistentStoreCoordinator.store
        guard let entity = store.model.entity(named: "Quake") else { return [] }
        return [
            Contestant(.duramen) {
                let cursor = try store.snapshot().cursor(StoreQuery(entity: entity.id))
                var batches: [RowBatch] = []
                while let batch = try cursor.next(maximumRows: 1000) { batches.append(batch) }
                return Outcome(batches.reduce(0) { $0 + $1.count }, holding: batches)
            }
        ]
    }

    /// The statements that the shared store has run so far.
    static func statementCount(_ dataset: Dataset) throws -> @MainActor @Sendable () -> Int {
        let counters = try dataset.sharedQuakeStore().container.persistentStoreCoordinator.store
            .counters
        return { counters.statements }
    }
}
