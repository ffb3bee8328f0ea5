package import DuramenModel
package import DuramenQuery
package import DuramenStore
package import Foundation
import Synchronization

/// A store around another one that answers nothing of a query but the walk by key, so that the
/// library has to do the rest.
package final class WalkingStore: PersistentStore {
    private let base: any PersistentStore
    private let readings = Readings()

    private let otherIDs: [ManagedObjectID: ManagedObjectID]

    /// Wraps an open store.
    ///
    /// - Parameter otherIDs: IDs by which it also knows objects, as a parent context does.
    package init(
        _ base: any PersistentStore, otherIDs: [ManagedObjectID: ManagedObjectID] = [:]
    ) {
        self.base = base
        self.otherIDs = otherIDs
    }

    /// How often rows or lists were requested by ID.
    package var readingCount: Int { readings.count.load(ordering: .relaxed) }

    package var model: ManagedObjectModel { base.model }
    package var handle: StoreHandle { base.handle }
    package var capabilities: StoreCapabilities { [] }
    package var counters: StoreCounters { base.counters }

    package func metadata() throws(StoreError) -> StoreMetadata { try base.metadata() }

    package func snapshot() throws(StoreError) -> WalkingSnapshot {
        WalkingSnapshot(try base.snapshot(), readings, otherIDs)
    }

    package func allocateKeys(
        _ count: Int, for entity: EntityID
    ) throws(StoreError) -> Range<Int64> { try base.allocateKeys(count, for: entity) }

    package func save(_ changes: ChangeSet) throws(StoreError) -> SaveOutcome {
        try base.save(changes)
    }

    package func generation(ofSave identifier: UUID) throws(StoreError) -> StoreGeneration? {
        try base.generation(ofSave: identifier)
    }

    /// The order by key, and the window when nothing else is left.
    package func pushdown(for query: StoreQuery) -> Pushdown {
        Pushdown(splitting: query, accepts: { _ in false }, acceptsOrder: { $0.isEmpty })
    }

    package func close() throws(StoreError) { try base.close() }
}

private final class Readings: Sendable {
    let count = Atomic(0)

    func note() { count.add(1, ordering: .relaxed) }
}

/// A snapshot that refuses what ``WalkingStore`` does not take.
package final class WalkingSnapshot: StoreSnapshot {
    private let base: any StoreSnapshot
    private let readings: Readings
    private let otherIDs: [ManagedObjectID: ManagedObjectID]

    fileprivate init(
        _ base: any StoreSnapshot, _ readings: Readings,
        _ otherIDs: [ManagedObjectID: ManagedObjectID]
    ) {
        self.base = base
        self.readings = readings
        self.otherIDs = otherIDs
    }

    package var generation: StoreGeneration { base.generation }

    package func rows(for ids: [ManagedObjectID]) throws(StoreError) -> RowBatch {
        readings.note()
        return try base.rows(for: ids.map { otherIDs[$0] ?? $0 })
    }

    package func destinations(
        of relationship: RelationshipID, from sources: [ManagedObjectID]
    ) throws(StoreError) -> [[ManagedObjectID]] {
        readings.note()
        return try base.destinations(of: relationship, from: sources)
    }

    package func orderedDestinations(
        of relationship: RelationshipID, from sources: [ManagedObjectID]
    ) throws(StoreError) -> [[OrderedDestination]] {
        try base.orderedDestinations(of: relationship, from: sources)
    }

    package func cursor(_ query: PreparedQuery) throws(StoreError) -> any StoreCursor {
        try base.cursor(checked(query))
    }

    package func objectIDs(_ query: PreparedQuery) throws(StoreError) -> [ManagedObjectID] {
        try base.objectIDs(checked(query))
    }

    package func count(_ query: PreparedQuery) throws(StoreError) -> Int {
        try base.count(checked(query))
    }

    private func checked(_ query: PreparedQuery) throws(StoreError) -> PreparedQuery {
        if query.query.predicate != nil || !query.query.sortDescriptors.isEmpty {
            throw StoreError(.invalidRequest, "A walking store was given a condition or an order.")
        }
        return query
    }
}

/// The type of such stores, so that one can be opened.
package struct WalkingStoreType: PersistentStoreType {
    private let base: any PersistentStoreType

    /// Wraps a type.
    package init(_ base: any PersistentStoreType) { self.base = base }

    package var name: String { "walking-\(base.name)" }

    package func open(
        _ description: PersistentStoreDescription, model: ManagedObjectModel
    ) throws(StoreError) -> any PersistentStore {
        WalkingStore(try base.open(description, model: model))
    }

    package func metadata(
        of description: PersistentStoreDescription
    ) throws(StoreError) -> StoreMetadata { try base.metadata(of: description) }

    package func setUserInfo(
        _ userInfo: [String: StoredValue], of description: PersistentStoreDescription
    ) throws(StoreError) { try base.setUserInfo(userInfo, of: description) }

    package func destroy(_ description: PersistentStoreDescription) throws(StoreError) {
        try base.destroy(description)
    }

    package func copy(
        _ source: PersistentStoreDescription, to destination: PersistentStoreDescription
    ) throws(StoreError) { try base.copy(source, to: destination) }
}

extension PersistentStoreDescription {
    /// The same store, but that it leaves conditions and orders to the library.
    package var walking: PersistentStoreDescription {
        var copy = self
        copy.type = WalkingStoreType(type)
        return copy
    }
}
