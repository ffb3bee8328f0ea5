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
        /// The members of one list after those of another.
        var members: [ManagedObjectID] = []
        var ranges: [ManagedObjectID: Range<Int>] = [:]
        /// The index of the member that is probably requested next.
        var next = 0
        /// The owners whose lists are read together next time.
        var count = 1
    }

    /// The most rows, or lists, of one request.
    static let mostRows = 512
    /// About the most members of the lists of one request.
    private static let mostMembers = 4096
    /// The number of unknown objects in succession after which nothing is searched any more.
    private static let mostFailures = 8

    /// The row that was returned last.
    var last: Place?

    private let model: ManagedObjectModel
    private let store: StoreHandle
    private var announced: () -> [Row] = { [] }
    private var group: Group?
    /// The index in the group of the row that is probably evaluated now.
    private var current = 0
    private var lists: [RelationshipID: Lists] = [:]
    /// The rows of the next request.
    private var count = 1
    private var failures = 0
    private var isStopped = false

    init(_ model: ManagedObjectModel, _ store: StoreHandle) {
        self.model = model
        self.store = store
    }

    /// Announces the rows that are evaluated next.
    func expect(_ rows: @escaping () -> [Row]) {
        announced = rows
        group = nil
        current = 0
        failures = 0
    }

    /// Stops guessing: what was guessed could not be read together.
    func stop() { isStopped = true }

    // MARK: - Rows

    /// Returns the IDs to read for one that is requested, which is the first.
    func rows(
        from id: ManagedObjectID, isKnown: (ManagedObjectID) -> Bool
    ) -> [ManagedObjectID] {
        if isStopped || failures == Self.mostFailures { return [id] }
        count = min(2 * count, Self.mostRows)
        var ids = [id]
        var seen: Set = [id]
        func add(_ next: ManagedObjectID) -> Bool {
            if !next.isTemporaryID, !isKnown(next), seen.insert(next).inserted { ids.append(next) }
            return ids.count < count
        }
        if let members = members(from: id) {
            for member in members { if !add(member) { break } }
        } else if let (start, relationship) = origin(of: id) {
            for row in start.group.rows[start.index...] {
                if let next = destination(of: relationship, row), !add(next) { break }
            }
        } else {
            failures += 1
            return [id]
        }
        failures = 0
        return ids
    }

    /// The members of lists from an object on.
    private func members(from id: ManagedObjectID) -> ArraySlice<ManagedObjectID>? {
        for (relationship, known) in lists {
            guard let index = known.members[known.next...].firstIndex(of: id) else { continue }
            lists[relationship]?.next = index
            return known.members[index...]
        }
        return nil
    }

    /// Finds the row that refers to an object: the one that was returned last, or an announced one.
    private func origin(of id: ManagedObjectID) -> (Place, RelationshipID)? {
        if let last, let relationship = relationship(of: last.row, to: id) {
            return (last, relationship)
        }
        var found: RelationshipID?
        let place = announcedRow { row in
            found = relationship(of: row, to: id)
            return found != nil
        }
        guard let place, let found else { return nil }
        return (place, found)
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

    /// Finds an announced row, first behind the one that was found before.
    private func announcedRow(_ isSought: (Row) -> Bool) -> Place? {
        let group = group ?? Group(announced())
        self.group = group
        guard
            let index = group.rows[current...].firstIndex(where: isSought)
                ?? group.rows[..<current].firstIndex(where: isSought)
        else { return nil }
        current = index
        return Place(group: group, index: index)
    }

    // MARK: - Lists

    /// Returns the list of an object if it was read.
    func list(
        _ relationship: RelationshipID, of id: ManagedObjectID
    ) -> ArraySlice<ManagedObjectID>? {
        guard let known = lists[relationship], let range = known.ranges[id] else { return nil }
        lists[relationship]?.next = range.lowerBound
        return known.members[range]
    }

    /// Returns the objects whose lists to read for one that is requested, which is the first.
    func owners(
        from id: ManagedObjectID, _ relationship: Relationship
    ) -> [ManagedObjectID] {
        if isStopped || failures == Self.mostFailures { return [id] }
        func isOwner(_ row: Row) -> Bool {
            row.key == id.key && row.objectID(in: model, store: store) == id
        }
        var start = last
        if last.map({ isOwner($0.row) }) != true { start = announcedRow(isOwner) }
        guard let start else {
            failures += 1
            return [id]
        }
        failures = 0
        // Rows of one group may be of several entities.
        let family = model[relationship.declaringEntity].family
        let most = lists[relationship.id]?.count ?? 1
        return start.group.rows[start.index...].lazy
            .filter { family.contains($0.entityID) }
            .prefix(most).map { $0.objectID(in: self.model, store: self.store) }
    }

    /// Keeps lists that were read together.
    func note(
        _ found: [[ManagedObjectID]], of owners: [ManagedObjectID], _ relationship: RelationshipID
    ) {
        var known = Lists()
        for (owner, list) in zip(owners, found) {
            let start = known.members.count
            known.members += list
            known.ranges[owner] = start..<known.members.count
        }
        let members = max(known.members.count / max(owners.count, 1), 1)
        let before = lists[relationship]?.count ?? 1
        known.count = min(2 * before, Self.mostRows, max(Self.mostMembers / members, 1))
        lists[relationship] = known
    }
}
