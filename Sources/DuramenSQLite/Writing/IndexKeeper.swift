import DuramenFileStore
import DuramenSQL
import DuramenStore

/// Makes the indexes of to-ones when something first needs them.
final class IndexKeeper: Sendable {
    private let core: StoreCore
    private let writer: StoreWriter
    // By places in the schema's list.
    private let deferred: DeferredIndexes

    init(core: StoreCore, writer: StoreWriter, missing: Set<Int>) {
        self.core = core
        self.writer = writer
        deferred = DeferredIndexes(missing: missing)
    }

    /// Notes that a snapshot is about to go from the far side of to-ones to the near one.
    ///
    /// - Parameter snapshot: Asked for only while an index is missing; without one, nothing is made
    ///   yet.
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

    /// The names of those that ``need(_:on:)`` would make.
    func missingNames(_ toOnes: [SQLToOne]) -> [String] {
        let missing = Set(deferred.missing)
        let places = Set(
            toOnes.compactMap { core.schema.toOneIndex(slot: $0.slot, of: $0.entity) })
        return places.intersection(missing).sorted().map { core.schema.indexes[$0].name }
    }

    /// The statements for all that are missing.
    var missingStatements: [String] { statements(deferred.missing) }

    /// Notes that ``missingStatements`` were run.
    func noteAllMade() { deferred.noteMade(Array(core.schema.indexes.indices)) }
}
