import DuramenModel
import DuramenQuery

/// Guesses which rows and lists an evaluation requests after one that it requests now.
///
/// Rows that were announced or read together are a group, in the order of their evaluation. When a
/// row of a group refers to an unknown object, the rows behind it probably refer to more of them
/// over the same relationship. A wrong guess costs time only.
final class ReadAhead {
    /// Rows that are evaluated one after the other.
    final class Group {
        let rows: [Row]

        init(_ rows: [Row]) { self.rows = rows }
    }

    /// A row of a group.
    struct Place {
        let group: Group
        let index: Int

        var row: Row { group.rows[index] }
    }

    /// The lists of a to-many that were read together.
    private struct Lists {
        var members = ObjectRun()
        var ranges: [ManagedObjectID: Range<Int>] = [:]
        /// The owners whose lists are read together next time.
        var count = 1

        var isFull: Bool {
            ranges.count > 2 * ReadAhead.mostRows || members.ids.count > 2 * ReadAhead.mostMembers
        }
    }

    /// The requests for rows of a hierarchy.
    private struct Requests {
        /// The rows of the next one.
        var count = 1
        /// The rows that the last one read ahead.
        var ahead = 0
        /// How many known rows were requested since.
        var used = 0

        /// Half of what was read ahead should have been requested.
        mutating func resize(limit: Int) {
            count = min(2 * used >= ahead ? 2 * count : max(count / 2, 1), limit)
        }
    }

    /// The most rows of one request.
    private static let mostRows = 512
    /// The most lists of one request; nobody knows how long they are.
    private static let mostLists = 64
    /// About the most members of the lists of one request.
    private static let mostMembers = 4096
    /// The rows of a group that are searched for objects that are not known.
    private static let mostSearched = 8_192

    private let model: ManagedObjectModel
    private let store: StoreHandle
    private var announced: () -> [Row] = { [] }
    private var group: Group?
    private var current = 0
    private var others = ObjectRun()
    private var lists: [RelationshipID: Lists] = [:]
    /// By the index of an entity, the row of it that was returned last.
    private var recent: [Place?]
    /// By the index of a root entity.
    private var requests: [Requests]
    /// The most rows of one request that are not too large together.
    private var limit = ReadAhead.mostRows

    init(_ model: ManagedObjectModel, _ store: StoreHandle) {
        self.model = model
        self.store = store
        recent = Array(repeating: nil, count: model.entities.count)
        requests = Array(repeating: Requests(), count: model.entities.count)
    }

    /// Announces the rows that are evaluated next, from the first one on.
    func expect(_ rows: @escaping () -> [Row]) {
        announced = rows
        group = nil
        current = 0
    }

    /// Sets the index of the announced row that is evaluated now.
    func advance(to index: Int) { current = index }

    /// Announces objects whose rows are requested in this order, if they are.
    func expect(_ ids: [ManagedObjectID]) { others = ObjectRun(ids) }

    /// Notes that a row is returned.
    func note(_ place: Place) { recent[place.row.entityID.index] = place }

    /// Notes that an object was known when it was requested, or known to be missing.
    func noteKnown(_ id: ManagedObjectID) {
        if let entity = model.entity(of: id) { requests[entity.root.index].used += 1 }
    }

    /// Reads less together, since rows could not be read: they were too large together, or one of
    /// them is damaged.
    func noteFailure(of ids: [ManagedObjectID], isTooLarge: Bool) {
        if isTooLarge { limit = max(min(limit, ids.count / 4), 1) }
        if let entity = model.entity(of: ids[0]) { requests[entity.root.index] = Requests() }
    }

    /// Reads less together, since lists could not be read.
    func noteFailure(of owners: [ManagedObjectID], _ relationship: RelationshipID) {
        lists[relationship]?.count = max(owners.count / 4, 1)
    }

    // MARK: - Rows

    /// Returns the IDs of rows to read together; the requested one is the first.
    func rows(
        from id: ManagedObjectID, isKnown: (ManagedObjectID) -> Bool
    ) -> [ManagedObjectID] {
        // A context as a store knows new objects by other IDs, too.
        guard id.key > 0, let entity = model.entity(of: id) else { return [id] }
        let root = entity.root.index
        requests[root].resize(limit: limit)
        let count = requests[root].count
        var ids = [id]
        var seen: Set = [id]
        func add(_ next: ManagedObjectID) -> Bool {
            if next.key > 0, !isKnown(next), seen.insert(next).inserted { ids.append(next) }
            return ids.count < count
        }
        if count > 1 {
            if let run = run(from: id, of: entity) {
                for next in run.prefix(Self.mostSearched) where !add(next) { break }
            } else if let (start, relationship) = origin(of: id) {
                for row in start.group.rows[start.index...].prefix(Self.mostSearched) {
                    if let next = destination(of: relationship, row), !add(next) { break }
                }
            }
        }
        requests[root].ahead = ids.count - 1
        requests[root].used = 0
        return ids
    }

    /// The objects from one on, if it is one of a run.
    private func run(
        from id: ManagedObjectID, of entity: Entity
    ) -> ArraySlice<ManagedObjectID>? {
        if let rest = others.rest(from: id) { return rest }
        for relationship in Array(lists.keys) {
            guard entity.isKind(of: model[model[relationship].destination]),
                let rest = lists[relationship]?.members.rest(from: id)
            else { continue }
            return rest
        }
        return nil
    }

    /// Finds the row that refers to an object.
    private func origin(of id: ManagedObjectID) -> (Place, RelationshipID)? {
        for case let place? in [evaluated] + recent {
            if let relationship = relationship(of: place.row, to: id) {
                return (place, relationship)
            }
        }
        return nil
    }

    /// The announced row that is evaluated now.
    private var evaluated: Place? {
        let group = group ?? Group(announced())
        self.group = group
        return group.rows.indices.contains(current) ? Place(group: group, index: current) : nil
    }

    private func relationship(of row: Row, to id: ManagedObjectID) -> RelationshipID? {
        for relationship in model[row.entityID].relationships {
            guard let slot = relationship.slot, !row.isNull(slot), row.integer(slot) == id.key,
                row.destination(of: relationship, in: model, store: store) == id
            else { continue }
            return relationship.id
        }
        return nil
    }

    private func destination(of relationship: RelationshipID, _ row: Row) -> ManagedObjectID? {
        model[row.entityID].relationship(relationship).flatMap {
            row.destination(of: $0, in: model, store: store)
        }
    }

    // MARK: - Lists

    /// Returns the list of an object if it was read.
    func list(
        _ relationship: RelationshipID, of id: ManagedObjectID
    ) -> ArraySlice<ManagedObjectID>? {
        guard let known = lists[relationship], let range = known.ranges[id] else { return nil }
        return known.members.ids[range]
    }

    /// Returns the objects whose lists to read together; the requested one is the first.
    func owners(from id: ManagedObjectID, _ relationship: Relationship) -> [ManagedObjectID] {
        var ids = [id]
        let known = lists[relationship.id]
        let most = known?.count ?? 1
        guard most > 1, let start = place(of: id) else { return ids }
        // Rows of one group may be of several entities.
        let family = model[relationship.declaringEntity].family
        for row in start.group.rows[start.index...].dropFirst().prefix(Self.mostSearched) {
            if ids.count == most { break }
            let next = row.objectID(in: model, store: store)
            if next.key > 0, family.contains(row.entityID), known?.ranges[next] == nil {
                ids.append(next)
            }
        }
        return ids
    }

    /// The place of an object whose row was announced or returned.
    private func place(of id: ManagedObjectID) -> Place? {
        let last = model.entity(of: id).flatMap { recent[$0.id.index] }
        for case let place? in [evaluated, last] where place.row.key == id.key {
            if place.row.objectID(in: model, store: store) == id { return place }
        }
        return nil
    }

    /// Keeps lists that were read together.
    func note(
        _ found: [[ManagedObjectID]], of owners: [ManagedObjectID], _ relationship: RelationshipID
    ) {
        // Taken out, so that it is changed where it is.
        var known = lists.removeValue(forKey: relationship) ?? Lists()
        if known.isFull { (known.members, known.ranges) = (ObjectRun(), [:]) }
        for (owner, list) in zip(owners, found) {
            let start = known.members.ids.count
            known.members.append(list)
            known.ranges[owner] = start..<known.members.ids.count
        }
        let average = max(known.members.ids.count / max(known.ranges.count, 1), 1)
        known.count = min(2 * known.count, Self.mostLists, max(Self.mostMembers / average, 1))
        lists[relationship] = known
    }
}

/// Objects that are probably requested one after the other.
private struct ObjectRun {
    private(set) var ids: [ManagedObjectID]
    /// By object, its index. Most lists are only counted, so nobody looks for their members.
    private var indexes: [ManagedObjectID: Int] = [:]
    private var indexedCount = 0

    init(_ ids: [ManagedObjectID] = []) { self.ids = ids }

    mutating func append(_ list: [ManagedObjectID]) { ids += list }

    /// The objects from one on; nil if it is not one of them.
    mutating func rest(from id: ManagedObjectID) -> ArraySlice<ManagedObjectID>? {
        while indexedCount < ids.count {
            indexes[ids[indexedCount]] = indexedCount
            indexedCount += 1
        }
        return indexes[id].map { ids[$0...] }
    }
}
