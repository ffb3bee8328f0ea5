import DuramenMemory
import DuramenModel
import DuramenQuery
import DuramenStore
import DuramenTestKit
import Foundation
import Synchronization

extension SaboteurEntry {
    static let capabilitySaboteurs: [SaboteurEntry] = [
        SaboteurEntry(.capabilities, ConformsWithoutDeclaring.self),
        SaboteurEntry(.capabilities, "DeclaresWithoutConforming") {
            (model, location) throws(StoreError) in
            DeclaresWithoutConforming(try Saboteur(model, location), [.durable, .maintenance])
        },
        SaboteurEntry(.capabilities, DeclaresTheUnknown.self),
        SaboteurEntry(.capabilities, LosesACapability.self),
        SaboteurEntry(.capabilities, LosesTagsInHousekeeping.self),
        SaboteurEntry(.capabilities, WaitsForSnapshots.self),
        SaboteurEntry(.capabilities, LosesPairsWhenClosed.self),
        SaboteurEntry(.capabilities, WritesConflictsWhenClosed.self),
        SaboteurEntry(.capabilities, NeverCloses.self),
    ]
}

final class ConformsWithoutDeclaring: Saboteur, @unchecked Sendable {
    override var capabilities: StoreCapabilities { [.durable, .batches] }
}

final class DeclaresWithoutConforming: PersistentStore {
    private let honest: Saboteur

    let capabilities: StoreCapabilities

    init(_ honest: Saboteur, _ capabilities: StoreCapabilities) {
        self.honest = honest
        self.capabilities = capabilities
    }

    var model: ManagedObjectModel { honest.model }
    var handle: StoreHandle { honest.handle }
    var counters: StoreCounters { honest.counters }

    func metadata() throws(StoreError) -> StoreMetadata { try honest.metadata() }
    func snapshot() throws(StoreError) -> SabotagedSnapshot { try honest.snapshot() }
    func allocateKeys(_ count: Int, for entity: EntityID) throws(StoreError) -> Range<Int64> {
        try honest.allocateKeys(count, for: entity)
    }
    func save(_ changes: ChangeSet) throws(StoreError) -> SaveOutcome { try honest.save(changes) }
    func generation(ofSave identifier: UUID) throws(StoreError) -> StoreGeneration? {
        try honest.generation(ofSave: identifier)
    }
    func pushdown(for query: StoreQuery) -> Pushdown { honest.pushdown(for: query) }
    func close() throws(StoreError) { try honest.close() }
}

final class DeclaresTheUnknown: Saboteur, @unchecked Sendable {
    override var capabilities: StoreCapabilities { StoreCapabilities(rawValue: 7 | 1 << 20) }
}

final class LosesACapability: Saboteur, @unchecked Sendable {
    private let hasSaved = Guarded(false)

    override var capabilities: StoreCapabilities {
        hasSaved.value ? .durable : [.durable, .maintenance]
    }

    override func save(_ changes: ChangeSet) throws(StoreError) -> SaveOutcome {
        hasSaved.change { $0 = true }
        return try base.save(changes)
    }
}

final class LosesTagsInHousekeeping: Saboteur, @unchecked Sendable {
    override func maintain() throws(StoreError) -> MaintenanceReport {
        guard let tag = model.entity(named: "Tag") else { return MaintenanceReport() }
        let rows = try base.snapshot().cursor(StoreQuery(entity: tag.id)).remaining()
        _ = try base.save(
            ChangeSet(
                deletes: rows.map {
                    RowDeletion(id: $0.objectID(in: model, store: handle), baseVersion: $0.version)
                }))
        return MaintenanceReport()
    }
}

final class WaitsForSnapshots: Saboteur, @unchecked Sendable {
    private let open = Counted()

    override var hooks: SnapshotHooks {
        open.add(1)
        return SnapshotHooks(onRelease: { [open] in open.add(-1) })
    }

    override func maintain() throws(StoreError) -> MaintenanceReport {
        if open.value > 0 { throw StoreError(.storeBusy, "A snapshot is open.") }
        return MaintenanceReport()
    }
}

/// A number that several threads count.
final class Counted: Sendable {
    private let number = Atomic<Int>(0)

    var value: Int { number.load(ordering: .acquiring) }

    @discardableResult
    func add(_ step: Int) -> Int { number.add(step, ordering: .acquiringAndReleasing).newValue }
}

final class LosesPairsWhenClosed: Saboteur, @unchecked Sendable {
    override func close() throws(StoreError) {
        if let state = try? base.snapshot(),
            let contents = try? StoreContents(reading: state, of: base)
        {
            for relationship in model.relationships {
                guard case .manyToMany = relationship.storage else { continue }
                let edges = (contents.destinations[relationship.id] ?? [:]).flatMap {
                    source, list in
                    list.map { EdgeChange.Edge(from: source, to: $0) }
                }
                _ = try base.save(
                    ChangeSet(edges: [EdgeChange(relationship: relationship.id, removed: edges)]))
            }
        }
        try base.close()
    }
}

final class WritesConflictsWhenClosed: Saboteur, @unchecked Sendable {
    private let refused = Guarded<[ChangeSet]>([])

    override func save(_ changes: ChangeSet) throws(StoreError) -> SaveOutcome {
        let outcome = try base.save(changes)
        if case .conflicted = outcome { refused.change { $0.append(changes) } }
        return outcome
    }

    override func close() throws(StoreError) {
        for changes in refused.value { _ = try? base.save(ChangeSet(inserts: changes.inserts)) }
        try base.close()
    }
}

final class NeverCloses: Saboteur, @unchecked Sendable {
    override func close() throws(StoreError) {}
}
