public import DuramenModel

/// The links of a store that its new model stores differently, read before anything is changed.
///
/// ```swift
/// let links = try MigrationLinks(change, path: path) { relationship, note in
///     // Reads the links of an old to-one, or of one side of a many-to-many.
/// }
/// ```
/// A to-one relationship of the new model may have been stored on the other side, or as pairs. A
/// store that rewrites rows sets it with ``RowTranslation``. A store that keeps its rows sets it
/// afterwards, with ``forEachUpdate(in:read:write:)``.
public struct MigrationLinks: Sendable {
    /// A link of an old relationship, seen from the requested side.
    public struct Link: Sendable {
        /// The key of the object that has the link, and its old entity.
        public var source: (key: Int64, entity: EntityID)
        /// The key of the destination, and its old entity.
        public var destination: (key: Int64, entity: EntityID)
        /// The source's number in the order of the destination; nil for none.
        public var number: Int64?

        /// Creates a link.
        public init(
            from source: (key: Int64, entity: EntityID),
            to destination: (key: Int64, entity: EntityID), number: Int64? = nil
        ) {
            self.source = source
            self.destination = destination
            self.number = number
        }

        /// The link from the other side, which is a to-one and so has no order.
        fileprivate var reversed: Link { Link(from: destination, to: source) }
    }

    /// The destination of a to-one relationship.
    private struct Partner: Sendable {
        var entity: EntityID
        var key: Int64
        var partner: EntityID
        var number: Int64?
    }

    private let change: SchemaChange
    /// By to-one of the new model: the destinations by their owners' keys.
    private var partners: [RelationshipID: [Int64: Partner]] = [:]

    /// Reads the links that the change needs.
    ///
    /// - Parameters:
    ///   - change: The change of the model.
    ///   - path: The store's path, for errors.
    ///   - forEachLink: Reads all links of a to-one with a slot, or of a many-to-many.
    /// - Throws: `.valuesDoNotFit` when an object's links do not fit the new model.
    /// - Complexity: About 50 bytes of memory for each link that is stored differently.
    public init(
        _ change: SchemaChange, path: String,
        _ forEachLink: (Relationship, (Link) -> Void) throws(StoreError) -> Void
    ) throws(StoreError) {
        self.change = change
        for link in change.links {
            let relationship = change.source[link.relationship]
            // Read the side that stores the links.
            let isReversed =
                relationship.slot == nil && change.source[relationship.inverse].slot != nil
            let read = isReversed ? change.source[relationship.inverse] : relationship
            var found = Found(link.demand, change)
            try forEachLink(read) { found.note(isReversed ? $0.reversed : $0) }
            if found.misfits > 0 {
                throw MigrationProblem(change: change, path: path)
                    .linksDoNotFit(relationship, link.demand, count: found.misfits)
            }
            guard case .single(let toOne) = link.demand else { continue }
            let before = partners[toOne]?.count ?? 0
            partners[toOne, default: [:]].merge(found.partners) { first, _ in first }
            // If several relationships became one, an object may have had several destinations.
            let shared = before + found.partners.count - (partners[toOne]?.count ?? 0)
            if shared > 0 {
                throw MigrationProblem(change: change, path: path)
                    .linksDoNotFit(relationship, link.demand, count: shared)
            }
        }
    }

    /// The links found for one relationship.
    private struct Found {
        private let demand: LinkChange.Demand
        private let change: SchemaChange
        private(set) var misfits = 0
        private(set) var partners: [Int64: Partner] = [:]

        init(_ demand: LinkChange.Demand, _ change: SchemaChange) {
            self.demand = demand
            self.change = change
        }

        private func destination(_ toOne: RelationshipID) -> Entity {
            change.target[change.target[toOne].destination]
        }

        mutating func note(_ link: Link) {
            // Links of removed objects are removed too.
            guard let owner = change.targetEntity(link.source.entity),
                let partner = change.targetEntity(link.destination.entity)
            else { return }
            switch demand {
            case .none: misfits += 1
            case .within(let entity):
                if !change.target[partner].isKind(of: change.target[entity]) { misfits += 1 }
            case .single(let toOne):
                // Other destinations belong to another relationship, or were already judged.
                guard change.target[partner].isKind(of: destination(toOne)) else { return }
                let found = Partner(
                    entity: owner, key: link.destination.key, partner: partner,
                    number: link.number)
                if partners.updateValue(found, forKey: link.source.key) != nil { misfits += 1 }
            }
        }
    }

    /// Sets the to-ones of a row that is being built, in the new model.
    func set(_ key: Int64, of entity: Entity, in builder: inout RowBatchBuilder) {
        for (slot, value) in values(of: key, entity) { builder.set(integer: value, at: slot) }
    }

    /// The values of the slots of an object's to-ones.
    private func values(of key: Int64, _ entity: Entity) -> [Int: Int64] {
        var values: [Int: Int64] = [:]
        for (id, partners) in partners {
            guard let partner = partners[key], let toOne = entity.relationship(id),
                case .toOne(let slot, let entitySlot) = toOne.storage
            else { continue }
            values[slot] = partner.key
            if let entitySlot { values[entitySlot] = Int64(partner.partner.index) }
            if let orderSlot = toOne.orderSlot { values[orderSlot] = partner.number }
        }
        return values
    }

    /// Updates the rows of a store that already has its new model, some hundred at a time.
    ///
    /// - Parameters:
    ///   - store: The store's handle.
    ///   - read: Returns rows of the new model.
    ///   - write: Writes rows with their new to-ones.
    public func forEachUpdate(
        in store: StoreHandle, read: ([ManagedObjectID]) throws(StoreError) -> RowBatch,
        write: ([RowUpdate]) throws(StoreError) -> Void
    ) throws(StoreError) {
        let owners = partners.values.flatMap { $0.map { (key: $0.key, entity: $0.value.entity) } }
        // Keys are unique within a hierarchy.
        let roots = Dictionary(grouping: owners) { change.target[$0.entity].root }
        for (_, owners) in roots.sorted(by: { $0.key < $1.key }) {
            let entities = Dictionary(
                owners.map { ($0.key, $0.entity) }, uniquingKeysWith: { first, _ in first })
            let ids = entities.keys.sorted().compactMap { key in
                entities[key].map { entity in
                    ManagedObjectID(store: store, entity: change.target[entity].handle, key: key)
                }
            }
            for start in stride(from: 0, to: ids.count, by: 256) {
                let rows = try read(Array(ids[start..<min(start + 256, ids.count)]))
                let updates = rows.compactMap(update)
                if !updates.isEmpty { try write(updates) }
            }
        }
    }

    private func update(_ row: Row) -> RowUpdate? {
        let entity = change.target[row.entityID]
        let values = values(of: row.key, entity)
        if values.isEmpty { return nil }
        var builder = RowBatchBuilder(capacity: 256)
        var slots = SlotSet()
        builder.beginRow(
            entity: row.entityID, slotCount: entity.layout.slotCount, key: row.key,
            version: row.version)
        for slot in 0..<entity.layout.slotCount {
            if let value = values[slot] {
                builder.set(integer: value, at: slot)
                slots.insert(slot)
            } else {
                builder.copy(slot, of: row, entity.layout)
            }
        }
        builder.endRow()
        return builder.finish().first.map {
            RowUpdate(row: $0, baseVersion: row.version, changedSlots: slots)
        }
    }
}
