import DuramenModel

/// Reads values from rows of a store. Information about each entity is computed once.
final class RowValuesSource: ValuesSource {
    /// The to-manys of the present rows, by to-many index.
    var toManys: [Int: [[ManagedObjectID]]] = [:]
    /// The position of the present row among them.
    @exclusivity(unchecked) var position = 0

    private let model: ManagedObjectModel
    private let store: StoreHandle
    private var known: [Int: EntityIdentities] = [:]
    @exclusivity(unchecked) private var entityIndex = -1
    // Sound: `known` keeps it.
    @exclusivity(unchecked) private var identities: Borrowed<EntityIdentities>?

    init(model: ManagedObjectModel, store: StoreHandle) {
        self.model = model
        self.store = store
    }

    override func objectID(_ words: UnsafeRawPointer) -> ManagedObjectID {
        withIdentities(words) { $0.id.withKey(Row.key(words)) }
    }

    override func destination(
        _ words: UnsafeRawPointer, slot: Int, key: Int64
    ) -> ManagedObjectID? {
        withIdentities(words) { identities in
            guard let destination = identities.destinations[slot] else { return nil }
            guard let entitySlot = destination.entitySlot,
                !reader(words, entitySlot).isNull
            else { return destination.id.withKey(key) }
            let index = reader(words, entitySlot).integer
            guard let index = Int(exactly: index), model.entities.indices.contains(index) else {
                return nil
            }
            return ManagedObjectID(store: store, entity: model.entities[index].handle, key: key)
        }
    }

    override func transformedTypes(_ words: UnsafeRawPointer) -> TransformedTypes {
        withIdentities(words) { $0.transformedTypes }
    }

    override func members(at index: Int) -> [ManagedObjectID] { toManys[index]?[position] ?? [] }

    private func reader(_ words: UnsafeRawPointer, _ slot: Int) -> AttributeReader {
        // Sound: for one read in a method of this object.
        AttributeReader(words: words, source: Borrowed(self as AnyObject), slot: slot)
    }

    @inline(__always)
    private func withIdentities<Result>(
        _ words: UnsafeRawPointer, _ body: (EntityIdentities) -> Result
    ) -> Result {
        let index = Row.entityIndex(words)
        if index != entityIndex { select(index) }
        // Sound: `select` found some.
        return identities.unsafelyUnwrapped.with(body)
    }

    private func select(_ index: Int) {
        let found =
            known[index]
            ?? EntityIdentities(model.entities[index], in: model, store: store)
        known[index] = found
        // Sound: `known` keeps it.
        identities = Borrowed(found)
        entityIndex = index
    }
}

/// The IDs without keys for rows of one entity.
private final class EntityIdentities {
    struct Destination {
        /// The ID of the destination entity without a key.
        let id: ManagedObjectID
        /// The slot with the subentity; nil if there are no subentities.
        let entitySlot: Int?
    }

    /// The ID of the entity without a key.
    let id: ManagedObjectID
    let transformedTypes: TransformedTypes
    /// The destinations by slot; nil for attributes.
    let destinations: ContiguousArray<Destination?>

    init(_ entity: Entity, in model: ManagedObjectModel, store: StoreHandle) {
        id = ManagedObjectID(store: store, entity: entity.handle, key: 0)
        transformedTypes = TransformedTypes(entity)
        var destinations = ContiguousArray<Destination?>(
            repeating: nil, count: entity.layout.slotCount)
        for relationship in entity.relationships {
            guard case .toOne(let slot, let entitySlot) = relationship.storage else { continue }
            let destination = model[relationship.destination].handle
            destinations[slot] = Destination(
                id: ManagedObjectID(store: store, entity: destination, key: 0),
                entitySlot: entitySlot)
        }
        self.destinations = destinations
    }
}
