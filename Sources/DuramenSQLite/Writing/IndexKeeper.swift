import DuramenFileStore
import DuramenSQL
import DuramenStore

/// Creates the indexes of to-ones when they are first needed.
final class IndexKeeper: Sendable {
    private let core: StoreCore
    private let writer: StoreWriter
    // By index in the schema's list.
    private let deferred: DeferredIndexes

    init(core: StoreCore, writer: StoreWriter, missing: Set<Int>) {
        self.core = core
        self.writer = writer
        deferred = DeferredIndexes(missing: missing)
    }

    /// Creates missing indexes for a snapshot that will search to-ones by their destinations.
    ///
    /// - Parameters:
    ///   - toOnes: The to-ones.
    ///   - snapshot: Evaluated only while an index is missing; if it throws, no index is created
    ///     yet.
    func need(
        _ toOnes: [SQLToOne], on snapshot: @autoclosure () throws(StoreError) -> SQLiteSnapshot
    ) {
        if toOnes.isEmpty { return }
        deferred.need {
            toOnes.compactMap { core.schema.toOneIndex(slot: $0.slot, of: $0.entity) }
        } make: { places in
            guard let snapshot = try? snapshot() else { return false }
            return writer.makeIndexes(
                statements(places), for: snapshot, withinSeconds: DeferredIndexes.patienceSeconds)
        }
    }

    private func statements(_ places: [Int]) -> [String] {
        places.map { core.schema.indexes[$0].creation }
    }

    /// The names of the indexes that ``need(_:on:)`` would create.
    func missingNames(_ toOnes: [SQLToOne]) -> [String] {
        let missing = Set(deferred.missing)
        let places = Set(
            toOnes.compactMap { core.schema.toOneIndex(slot: $0.slot, of: $0.entity) })
        return places.intersection(missing).sorted().map { core.schema.indexes[$0].name }
    }

    /// The statements for all missing indexes.
    var missingStatements: [String] { statements(deferred.missing) }

    /// Records that ``missingStatements`` were run.
    func noteAllMade() { deferred.noteMade(Array(core.schema.indexes.indices)) }
}
