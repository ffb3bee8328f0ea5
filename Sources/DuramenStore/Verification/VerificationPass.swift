import DuramenModel
import DuramenQuery

/// Compares the data that a snapshot returns in one way with the data from another way.
///
/// ```
///   IDs of every entity ──► rows: by iteration and by ID; to-ones; unique and derived values
///                      └──► lists: to-manys from both sides, order numbers
/// ```
struct VerificationPass {
    private let store: any PersistentStore
    private let snapshot: any StoreSnapshot
    private let cancellation: CancellationFlag?
    private let noteRows: (Int) -> Void
    private let model: ManagedObjectModel
    private let derived: DerivedAttributes?
    private(set) var findings: FindingList
    /// By root entity: the keys of its objects, ascending, and the entity of each.
    private var known: [EntityID: KnownObjects] = [:]
    private var sums: RelationshipSums
    private var uniqueValues: UniqueValueSearch
    private var unenforced: Set<UniquenessConstraint> = []

    /// The number of objects whose to-many destinations are loaded at a time. A store without an
    /// index reads a whole table for each request.
    private static let sourcesAtOnce = 20_000

    init(
        _ store: any PersistentStore, _ snapshot: any StoreSnapshot,
        cancellation: CancellationFlag?, noteRows: @escaping (Int) -> Void, _ findings: FindingList
    ) {
        self.store = store
        self.snapshot = snapshot
        self.cancellation = cancellation
        self.noteRows = noteRows
        self.findings = findings
        model = store.model
        derived =
            store.capabilities.contains(.derivedAttributes)
            ? DerivedAttributes(store.model, store: store.handle) : nil
        sums = RelationshipSums(store.model)
        uniqueValues = UniqueValueSearch(store.model)
    }

    mutating func run() throws(StoreError) {
        unenforced = try snapshot.unenforcedConstraints()
        let roots = model.entities.filter { $0.superentity == nil }
        for root in roots {
            try noting(.row, root.name) { pass throws(StoreError) in try pass.list(root) }
        }
        for root in roots {
            do throws(StoreError) {
                try walk(through: root)
            } catch {
                try findings.add(error, as: .row, place: root.name)
                try readOneByOne(root)
            }
        }
        for relationship in model.relationships where relationship.isToMany {
            let place = name(of: relationship)
            try noting(.pair, place) { pass throws(StoreError) in
                try pass.readLists(of: relationship)
            }
        }
        for relationship in sums.disagreeing() {
            findings.add(
                VerificationFinding(
                    .pair, "The two sides of '\(name(of: relationship))' do not agree.",
                    place: name(of: relationship)))
        }
        for relationship in sums.disorderly() {
            findings.add(
                VerificationFinding(
                    .order,
                    "The order of '\(name(of: relationship))' has other members or numbers than its objects say.",
                    place: name(of: relationship)))
        }
    }

    /// Runs a part, and records damage as a finding.
    private mutating func noting(
        _ kind: VerificationFinding.Kind, _ place: String,
        _ part: (inout VerificationPass) throws(StoreError) -> Void
    ) throws(StoreError) {
        do throws(StoreError) {
            try part(&self)
        } catch {
            try findings.add(error, as: kind, place: place)
        }
    }

    private func name(of relationship: Relationship) -> String {
        "\(model[relationship.declaringEntity].name).\(relationship.name)"
    }

    private func query(_ entity: Entity) -> StoreQuery {
        var query = StoreQuery(entity: entity.id)
        query.cancellation = cancellation
        return store.pushdown(for: query).pushed
    }

    // MARK: - Rows

    private mutating func list(_ root: Entity) throws(StoreError) {
        known[root.id] = KnownObjects(
            try snapshot.objectIDs(query(root)).map { id in
                (id.key, model.entity(of: id)?.id ?? root.id)
            })
    }

    private mutating func walk(through root: Entity) throws(StoreError) {
        var count = 0
        try StoreWalk(store, snapshot, cancellation: cancellation).forEachBatch(of: root) {
            (rows) throws(StoreError) in
            count += rows.count
            let ids = rows.map { $0.objectID(in: model, store: store.handle) }
            let again = try snapshot.rows(for: ids)
            let isSame =
                again.count == rows.count
                && zip(rows, again).allSatisfy { Self.areEqual($0, $1, in: model) }
            if !isSame {
                findings.add(
                    VerificationFinding(
                        .row, "Rows of '\(root.name)' differ by walk and by ID.", place: root.name,
                        example: ids.first))
            }
            try check(rows)
            noteRows(rows.count)
        }
        if let known = known[root.id], known.count != count {
            findings.add(
                VerificationFinding(
                    .row, "A walk through '\(root.name)' has other objects than a list of IDs.",
                    place: root.name))
        }
    }

    /// After damage in an iteration, finds all rows that cannot be read, and checks the others.
    private mutating func readOneByOne(_ root: Entity) throws(StoreError) {
        for (key, entity) in known[root.id]?.all ?? [] {
            try StoreVerification.stop(if: cancellation)
            let id = ManagedObjectID(
                store: store.handle, entity: model[entity].handle, key: key)
            try noting(.row, root.name) { pass throws(StoreError) in
                try pass.check(try pass.snapshot.rows(for: [id]))
            }
        }
    }

    private static func areEqual(_ a: Row, _ b: Row, in model: ManagedObjectModel) -> Bool {
        guard a.entityID == b.entityID, a.key == b.key, a.version == b.version else { return false }
        let kinds = model[a.entityID].layout.kinds
        return kinds.indices.allSatisfy { a.hasSameValue($0, kinds[$0], as: b) }
    }

    private mutating func check(_ rows: RowBatch) throws(StoreError) {
        for row in rows {
            let id = row.objectID(in: model, store: store.handle)
            checkReferences(of: row, id)
            if let constraint = uniqueValues.noteRepeated(row) {
                let names = constraint.properties.joined(separator: ", ")
                let entity = model[constraint.entity].name
                let isEnforced = !unenforced.contains(constraint)
                findings.add(
                    VerificationFinding(
                        .uniqueness,
                        "Objects of '\(entity)' have the same unique \(names)"
                            + (isEnforced
                                ? "."
                                : ", so the store does not enforce this constraint; change them, and "
                                    + "open the store again."),
                        place: "\(entity).\(names)", example: id))
            }
        }
        guard let derived else { return }
        for update in try derived.recomputed(rows, from: SnapshotState(snapshot)) {
            let entity = model[update.row.entityID]
            for attribute in entity.attributes where update.changedSlots.contains(attribute.slot) {
                findings.add(
                    VerificationFinding(
                        .derivedValue,
                        "'\(entity.name).\(attribute.name)' does not have the value that is derived for it; "
                            + "recompute the derived attributes.",
                        place: "\(entity.name).\(attribute.name)",
                        example: update.row.objectID(in: model, store: store.handle)))
            }
        }
    }

    private mutating func checkReferences(of row: Row, _ id: ManagedObjectID) {
        for relationship in model[row.entityID].relationships where !relationship.isToMany {
            guard let end = row.destination(of: relationship, in: model, store: store.handle) else {
                continue
            }
            if isKnown(end) {
                sums.add(relationship, from: id, to: end)
                if let slot = relationship.orderSlot {
                    sums.addMember(
                        of: relationship.inverse, owner: end, member: id,
                        order: row.isNull(slot) ? nil : row.integer(slot))
                }
            } else if model[relationship.inverse].deleteRule != .noAction {
                findings.add(
                    VerificationFinding(
                        .reference,
                        "'\(name(of: relationship))' refers to an object that does not exist.",
                        place: name(of: relationship), example: id))
            }
        }
    }

    private func isKnown(_ id: ManagedObjectID) -> Bool {
        guard let entity = model.entity(of: id) else { return false }
        return known[entity.root]?.entity(of: id.key) == entity.id
    }

    // MARK: - To-manys

    private static func isInOrder(_ list: [OrderedDestination]) -> Bool {
        // Members without a number first, and by ID if numbers are equal.
        func place(_ member: OrderedDestination) -> (Int, Int64, ManagedObjectID) {
            (member.order == nil ? 0 : 1, member.order ?? 0, member.id)
        }
        return zip(list, list.dropFirst()).allSatisfy { place($0) < place($1) }
    }

    private mutating func readLists(of relationship: Relationship) throws(StoreError) {
        let owner = model[relationship.declaringEntity]
        let family = Set(owner.family)
        let sources = (known[owner.root]?.all ?? []).filter { family.contains($0.entity) }
        for start in stride(from: 0, to: sources.count, by: Self.sourcesAtOnce) {
            try StoreVerification.stop(if: cancellation)
            let ids = sources[start..<min(start + Self.sourcesAtOnce, sources.count)].map {
                ManagedObjectID(
                    store: store.handle, entity: model[$0.entity].handle, key: $0.key)
            }
            for (id, list) in zip(ids, try snapshot.destinations(of: relationship.id, from: ids)) {
                for end in list { sums.add(relationship, from: id, to: end) }
                if zip(list, list.dropFirst()).contains(where: { $0 >= $1 }) {
                    findings.add(
                        VerificationFinding(
                            .pair, "'\(name(of: relationship))' has an object twice.",
                            place: name(of: relationship), example: id))
                }
            }
            if !relationship.isOrdered { continue }
            let lists = try snapshot.orderedDestinations(of: relationship.id, from: ids)
            for (id, list) in zip(ids, lists) {
                for member in list {
                    sums.addListed(relationship, owner: id, member: member.id, order: member.order)
                }
                if !Self.isInOrder(list) {
                    findings.add(
                        VerificationFinding(
                            .order,
                            "'\(name(of: relationship))' is not in the order of its numbers.",
                            place: name(of: relationship), example: id))
                }
            }
        }
    }
}

/// The objects of a hierarchy, with ascending keys for binary search.
private struct KnownObjects {
    private let keys: ContiguousArray<Int64>
    private let entities: ContiguousArray<UInt16>

    init(_ objects: [(key: Int64, entity: EntityID)]) {
        let isSorted = zip(objects, objects.dropFirst()).allSatisfy { $0.key < $1.key }
        let sorted = isSorted ? objects : objects.sorted { $0.key < $1.key }
        keys = ContiguousArray(sorted.map(\.key))
        entities = ContiguousArray(sorted.map { UInt16(truncatingIfNeeded: $0.entity.index) })
    }

    var count: Int { keys.count }

    var all: [(key: Int64, entity: EntityID)] {
        zip(keys, entities).map { ($0, EntityID(index: Int($1))) }
    }

    func entity(of key: Int64) -> EntityID? {
        var (low, high) = (0, keys.count)
        while low < high {
            let middle = (low + high) / 2
            if keys[middle] < key { low = middle + 1 } else { high = middle }
        }
        guard low < keys.count, keys[low] == key else { return nil }
        return EntityID(index: Int(entities[low]))
    }
}
