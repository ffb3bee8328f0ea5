import DuramenModel
import DuramenQuery
import DuramenStore

/// The query of a live list for one store, bound to the store's model.
///
/// It is a class so that comparing a million rows counts few references.
final class ListPart: Sendable {
    let model: ManagedObjectModel
    let handle: StoreHandle
    private let entities: [EntityID]
    let predicate: BoundPredicate?
    let order: BoundSort
    let section: SectionKey?

    init(
        _ query: LoweredQuery, sectionedBy path: [String]?, of store: StoreHandle
    ) throws(StoreError) {
        model = query.model
        handle = store
        let entity = model[query.query.entity]
        entities = query.query.entities(in: model)
        do throws(FetchPredicateError) {
            predicate = try query.boundPredicate()
            order = try query.boundOrder()
        } catch {
            throw StoreError(error)
        }
        if order.countsObjects {
            throw StoreError(
                .unsupported,
                "Results of \(entity.name) that follow changes cannot be sorted by a '@count'. Sort by a derived "
                    + "attribute that keeps it, such as @Attribute(.derived(\"tags.@count\")).")
        }
        section = path.flatMap { SectionKey($0, of: entity, in: query.model) }
    }

    /// Whether an object's entity is listed.
    func lists(_ id: ManagedObjectID) -> Bool {
        let index = model.entityIndex(of: id)
        return index >= 0 && entities.contains(EntityID(index: index))
    }

    /// Returns how many objects of listed entities a save changed.
    func changeCount(of saved: SavedChanges) -> Int {
        func isListed(_ row: Row) -> Bool { entities.contains(row.entityID) }
        return saved.inserts.indices.count { saved.inserts.withRow(at: $0, isListed) }
            + saved.updates.count { isListed($0.row) } + saved.deletes.count(where: isListed)
    }

    func id(of row: Row) -> ManagedObjectID { row.objectID(in: model, store: handle) }

    /// Returns the sort keys of a row.
    func keys(of row: Row, in related: RelatedRows) -> BoundSortKeys {
        order.keys(of: (row, id(of: row)), in: related)
    }

    /// Returns the name of a row's section; empty in a list without sections.
    func sectionName(of row: Row, in related: RelatedRows) -> StoredText {
        section?.name(of: row, in: related) ?? StoredText("")
    }

    /// Whether two rows of one object have equal values.
    func areEqual(_ a: Row, _ b: Row) -> Bool {
        if a.entityID != b.entityID { return false }
        let kinds = model[a.entityID].layout.kinds
        return kinds.indices.allSatisfy { a.hasSameValue($0, kinds[$0], as: b) }
    }
}

/// The attribute that names the sections of a list.
struct SectionKey: Sendable {
    /// The to-ones before the attribute.
    let steps: [Relationship]
    let slot: Int
    let kind: SlotKind

    /// Creates the key for a path; nil if it does not end at an attribute over to-ones.
    init?(_ path: [String], of entity: Entity, in model: ManagedObjectModel) {
        var steps: [Relationship] = []
        var current = entity
        for (position, name) in path.enumerated() {
            if case .relationship(let relationship)? = current.property(named: name) {
                if relationship.isToMany { return nil }
                steps.append(relationship)
                current = model[relationship.destination]
                continue
            }
            // An element of a composite is named by its path.
            let rest = path[position...].joined(separator: ".")
            guard case .attribute(let attribute)? = current.property(named: rest) else {
                return nil
            }
            self.steps = steps
            slot = attribute.slot
            kind = attribute.kind
            return
        }
        return nil
    }

    /// Returns the name of a row's section.
    func name(of row: Row, in related: RelatedRows) -> StoredText {
        var row = row
        for step in steps {
            guard let id = row.destination(of: step, in: related),
                let next = related.row(for: id)
            else { return StoredText("") }
            row = next
        }
        return row.value(slot, kind).sectionName
    }
}

extension Row {
    /// Returns the destination of a to-one, for a row of any subentity.
    func destination(of relationship: Relationship, in related: RelatedRows) -> ManagedObjectID? {
        let own = related.model[entityID].relationship(relationship.id) ?? relationship
        return destination(of: own, in: related.model, store: related.store)
    }
}
