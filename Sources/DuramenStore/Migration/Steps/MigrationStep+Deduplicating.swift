import DuramenModel
public import DuramenQuery

extension MigrationStep {
    /// Which of several objects with equal values to keep.
    public enum Survivor: Sendable {
        /// The object with the lowest key.
        case oldest
        /// The object with the highest key.
        case newest
        /// The first object in an order, with the names of the previous version.
        case first(by: [FetchSortDescriptor])
        /// The object at the index that the closure returns.
        case choose(@Sendable ([MigratingRow]) throws -> Int)
    }

    /// The treatment of the other objects' values.
    public enum LostValues: Sendable {
        /// Discard them. The kept object keeps its own values.
        case keep
        /// Fill null attributes of the kept object, from the nearest object with a value.
        case fill
    }

    /// The treatment of the other objects' relationships.
    public enum LostRelationships: Sendable {
        /// Move them to the kept object. The members of to-manys are joined, ordered ones at the
        /// end. The kept object keeps its own to-ones.
        case repoint
        /// Clear them.
        case drop
    }

    /// The treatment of the other objects.
    public enum Others: Sendable {
        /// Delete them.
        case delete
        /// Keep them, and set an attribute to null. It must be optional and one of the unique ones.
        case null(String)
    }

    /// Keeps one of several objects with equal values, so that the values can become unique.
    ///
    /// ```swift
    /// .deduplicate("User", by: ["email"], keep: .oldest)
    /// ```
    /// Objects with null for one of the values are not changed. Delete rules do not run.
    /// - Parameters:
    ///   - entity: The entity in the previous version, including its sub-entities.
    ///   - attributes: The attributes of the next version whose values together become unique.
    ///   - survivor: The object to keep.
    ///   - values: The treatment of the other objects' values.
    ///   - relationships: The treatment of the other objects' relationships.
    ///   - others: The treatment of the other objects.
    /// - Complexity: Two passes for each list of attributes. Needs 16 bytes of memory for each
    ///   object, and more for objects that share values.
    public static func deduplicate(
        _ entity: String, by attributes: [String], keep survivor: Survivor = .oldest,
        values: LostValues = .keep, relationships: LostRelationships = .repoint,
        others: Others = .delete
    ) -> MigrationStep {
        deduplicate(
            entity, byEachOf: [attributes], keep: survivor, values: values,
            relationships: relationships, others: others)
    }

    /// Keeps one of several objects with equal values, for several constraints at once; see
    /// ``deduplicate(_:by:keep:values:relationships:others:)``.
    ///
    /// Two objects that both share values with a third object form one group with it.
    public static func deduplicate(
        _ entity: String, byEachOf constraints: [[String]], keep survivor: Survivor = .oldest,
        values: LostValues = .keep, relationships: LostRelationships = .repoint,
        others: Others = .delete
    ) -> MigrationStep {
        let deduplication = Deduplication(
            entity: entity, constraints: constraints, survivor: survivor, values: values,
            relationships: relationships, others: others)
        return MigrationStep(
            "deduplicate \(entity) by "
                + constraints.map { $0.joined(separator: ", ") }.joined(separator: "; or by ")
                + ", keep \(survivor.explanation)", of: entity,
            check: { deduplication.problems($0) }, body: { try deduplication.run($0) })
    }
}

extension MigrationStep.Survivor {
    fileprivate var explanation: String {
        switch self {
        case .oldest: "the oldest"
        case .newest: "the newest"
        case .first: "the first in an order"
        case .choose: "the one that is chosen"
        }
    }
}

/// Keeps one of several objects with equal values.
private struct Deduplication: Sendable {
    let entity: String
    let constraints: [[String]]
    let survivor: MigrationStep.Survivor
    let values: MigrationStep.LostValues
    let relationships: MigrationStep.LostRelationships
    let others: MigrationStep.Others

    /// The number of groups per save.
    private static let groupsPerSave = 200

    func problems(_ bridge: BridgingModel) -> [String] {
        var problems: [String] = []
        guard let known = bridge.entities(entity, &problems) else { return problems }
        if constraints.isEmpty || constraints.contains(where: \.isEmpty) {
            problems.append("name the attributes that are to be unique")
        }
        for path in constraints.joined() { bridge.written(path, of: known.next, &problems) }
        if case .first(let order) = survivor {
            do throws(FetchPredicateError) {
                _ = try order.bound(to: known.between, in: bridge.model)
            } catch {
                problems.append("the order does not fit '\(entity)': \(error.message)")
            }
        }
        if case .null(let path) = others,
            let attribute = bridge.written(path, of: known.next, &problems)
        {
            if case .attribute(let own)? = known.next.property(named: path), !own.isOptional {
                problems.append("'\(entity).\(path)' is mandatory, so that it cannot be null")
            }
            if !constraints.allSatisfy({ $0.contains { StoredText($0) == StoredText(path) } }) {
                problems.append(
                    "'\(entity).\(attribute.name)' is not among the attributes that are to be unique"
                )
            }
        }
        return problems
    }

    func run(_ work: StepWork) throws {
        guard let entity = work.bridge.model.entity(named: entity),
            let next = work.bridge.nextEntity(ofCurrent: entity.name)
        else { return }
        let paths = constraints.map { constraint in
            constraint.compactMap { work.bridge.attribute(ofNext: $0, in: next)?.name }
        }
        // Filled values may be duplicates too.
        while true {
            let groups = try SharedValues(of: entity, paths, work).groups()
            if groups.isEmpty { return }
            for start in stride(from: 0, to: groups.count, by: Self.groupsPerSave) {
                let end = min(start + Self.groupsPerSave, groups.count)
                try settle(Array(groups[start..<end]), entity, next, work)
                try work.note(end, of: groups.count)
            }
        }
    }

    private func settle(
        _ groups: [[ManagedObjectID]], _ entity: Entity, _ next: Entity, _ work: StepWork
    ) throws {
        let snapshot = try work.store.snapshot()
        var merging = ObjectMerging(work, snapshot)
        for ids in groups {
            let ordered = try order(ids, entity, snapshot, work)
            guard let first = ordered.first else { continue }
            for other in ordered.dropFirst() {
                if case .null(let path) = others {
                    if let attribute = work.bridge.attribute(ofNext: path, in: next) {
                        merging.clear(attribute.name, of: other)
                    }
                    continue
                }
                merging.note(other, goesInto: first)
            }
            if case .null = others { continue }
            let others = Array(ordered.dropFirst())
            if case .fill = values { merging.fill(first, from: others) }
            if case .repoint = relationships { try merging.repoint(others, to: first) }
        }
        try merging.finish()
    }

    /// The rows of a group: first the kept one, then the others.
    private func order(
        _ ids: [ManagedObjectID], _ entity: Entity, _ snapshot: any StoreSnapshot, _ work: StepWork
    ) throws -> [Row] {
        let rows = Array(try snapshot.batches(for: ids.sorted()).joined())
        switch survivor {
        case .oldest: return rows.sorted { $0.key < $1.key }
        case .newest: return rows.sorted { $0.key > $1.key }
        case .first(let order):
            let source = SnapshotSource(work.store, snapshot)
            var items = rows.map { (row: $0, id: source.id(of: $0)) }
            try order.bound(to: entity, in: work.store.model).sort(&items, in: source)
            return items.map(\.row)
        case .choose(let choose):
            var sorted = rows.sorted { $0.key < $1.key }
            let block = RowBlock(sorted, snapshot, work.store)
            let place = try choose(sorted.map { MigratingRow($0, in: block) })
            if let problem = block.problem { throw problem }
            guard sorted.indices.contains(place) else {
                throw StoreError(
                    .invalidRequest,
                    "\(sorted.count) objects share values, and none has the place \(place). Choose one of them."
                )
            }
            sorted.insert(sorted.remove(at: place), at: 0)
            return sorted
        }
    }
}

/// Finds objects that share values.
private struct SharedValues {
    private let entity: Entity
    private let constraints: [[String]]
    private let work: StepWork

    init(of entity: Entity, _ constraints: [[String]], _ work: StepWork) {
        self.entity = entity
        self.constraints = constraints
        self.work = work
    }

    /// The groups of objects that share values, directly or through others, ordered by their lowest
    /// keys.
    func groups() throws -> [[ManagedObjectID]] {
        var union = UnionFind()
        for paths in constraints {
            for group in try groups(by: paths) { union.join(group) }
        }
        return union.groups
    }

    private func groups(by paths: [String]) throws -> [[ManagedObjectID]] {
        // Most values are unique, so a hash of each is enough to find the others.
        var hashes: [Int] = []
        try forEachKey(paths) { key, _ in hashes.append(key.hashValue) }
        hashes.sort()
        var shared: Set<Int> = []
        for (one, other) in zip(hashes, hashes.dropFirst()) where one == other {
            shared.insert(one)
        }
        hashes = []
        if shared.isEmpty { return [] }
        var groups: [[UInt8]: [ManagedObjectID]] = [:]
        try forEachKey(paths) { key, id in
            if shared.contains(key.hashValue) { groups[key, default: []].append(id) }
        }
        return groups.values.filter { $0.count > 1 }
    }

    /// Calls `body` with the values, as bytes, of all objects without null among them.
    private func forEachKey(
        _ paths: [String], _ body: ([UInt8], ManagedObjectID) -> Void
    ) throws {
        var slots: [EntityID: [Int]] = [:]
        for member in entity.family {
            slots[member] = paths.compactMap { path in
                guard
                    case .attribute(let attribute)? = work.bridge.model[member].property(
                        named: path)
                else { return nil }
                return attribute.slot
            }
        }
        try work.forEachRow(of: entity) { row in
            let id = row.row.entityID
            guard let slots = slots[id],
                let key = row.row.bytes(of: slots, layout: work.bridge.model[id].layout)
            else { return }
            body(key, row.objectID)
        }
    }
}

/// Joins objects into groups.
private struct UnionFind {
    private var parents: [ManagedObjectID: ManagedObjectID] = [:]

    mutating func join(_ ids: [ManagedObjectID]) {
        guard let first = ids.min() else { return }
        for id in ids {
            let (a, b) = (root(first), root(id))
            parents[max(a, b)] = min(a, b)
            parents[min(a, b)] = min(a, b)
        }
    }

    private mutating func root(_ id: ManagedObjectID) -> ManagedObjectID {
        var root = id
        while let parent = parents[root], parent != root { root = parent }
        var step = id
        while step != root {
            let parent = parents[step] ?? root
            parents[step] = root
            step = parent
        }
        return root
    }

    var groups: [[ManagedObjectID]] {
        var copy = self
        let byRoot = Dictionary(grouping: parents.keys) { copy.root($0) }
        return byRoot.sorted { $0.key < $1.key }.map(\.value)
    }
}
