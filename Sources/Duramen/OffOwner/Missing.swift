import DuramenModel
import DuramenStore

extension ContextPart {
    /// Loads missing rows and to-manys off the owner. Objects that change meanwhile are skipped;
    /// they load when they are used.
    ///
    /// - Parameter take: Gives the objects their rows; by default, it registers them.
    func read(
        _ missing: Missing, _ isolation: isolated (any Actor)?, _ take: ((Row) -> Void)? = nil
    ) async throws {
        if missing.isEmpty { return }
        let time = beginReadingOffOwner()
        defer { ledger.endFetch() }
        let store = isPinned ? store : connection.store
        let pinned = isPinned ? try pinnedSnapshot() : nil
        let found = try await offCooperativePool { try missing.read(store, pinned) }
        for row in found.rows {
            let id = row.objectID(in: model, store: handle.store)
            if ledger.meanwhile.mayConcern(id, since: time) { continue }
            if let take { take(row) } else { register(row) }
        }
        if ledger.meanwhile.time != time { return }
        for (toMany, lists) in zip(missing.toManys, found.lists) {
            for (id, list) in zip(toMany.sources, lists) {
                guard let object = registeredHere(id), !object.flags.contains(.gone) else {
                    continue
                }
                let state = object.ensureExtra().state(at: toMany.index)
                if !state.isLoaded { state.load(list, in: self) }
            }
        }
    }
}

/// The rows and to-manys to load from a part's store.
struct Missing: Sendable {
    struct ToMany: Sendable {
        let relationship: RelationshipID
        let isOrdered: Bool
        let index: Int
        var sources: [ManagedObjectID]
    }

    struct Found: Sendable {
        var rows: [Row] = []
        /// The lists by to-many and source.
        var lists: [[[OrderedDestination]]] = []
    }

    private(set) var ids: [ManagedObjectID] = []
    private(set) var toManys: [ToMany] = []

    var isEmpty: Bool { ids.isEmpty && toManys.isEmpty }

    /// Collects the objects that are faults.
    init(valuesOf ids: [ManagedObjectID], in part: ContextPart) {
        self.ids = ids.filter { id in
            !id.isTemporaryID && part.isOwn(id) && part.registeredHere(id)?.words == nil
        }
    }

    /// The rows of objects, registered or not.
    init(rowsOf ids: [ManagedObjectID]) { self.ids = ids }

    /// Collects the to-manys that are not loaded, or only those with a name.
    init(
        toManysOf ids: [ManagedObjectID], named name: String? = nil,
        in part: ContextPart
    ) {
        var found: [RelationshipID: ToMany] = [:]
        for object in ids.compactMap(part.registeredHere) where object.key > 0 {
            for (index, relationship) in object.plan.toManys.enumerated()
            where object.toManyState(of: relationship)?.isLoaded != true
                && name.map({ $0 == relationship.name }) ?? true
            {
                found[
                    relationship.id,
                    default: ToMany(
                        relationship: relationship.id, isOrdered: relationship.isOrdered,
                        index: index, sources: [])
                ].sources.append(object.objectID)
            }
        }
        toManys = Array(found.values)
    }

    func read(
        _ store: any PersistentStore, _ pinned: (any StoreSnapshot)?
    ) throws(StoreError) -> Found {
        let snapshot: any StoreSnapshot = if let pinned { pinned } else { try store.snapshot() }
        var found = Found()
        for group in ids.groups { found.rows += try Self.undamagedRows(of: group, in: snapshot) }
        for toMany in toManys {
            found.lists.append(
                toMany.isOrdered
                    ? try snapshot.orderedDestinations(
                        of: toMany.relationship, from: toMany.sources)
                    : try snapshot.destinations(of: toMany.relationship, from: toMany.sources)
                        .map { $0.map { OrderedDestination($0, order: nil) } })
        }
        return found
    }

    /// Returns the rows of objects. Rows with damaged values are left out: a fault reports its
    /// damage when it is used.
    private static func undamagedRows(
        of ids: [ManagedObjectID], in snapshot: any StoreSnapshot
    ) throws(StoreError) -> [Row] {
        do throws(StoreError) {
            return Array(try snapshot.batches(for: ids).joined())
        } catch {
            guard error.code == .damagedValue else { throw error }
            if ids.count == 1 { return [] }
            let half = ids.count / 2
            return try undamagedRows(of: Array(ids[..<half]), in: snapshot)
                + undamagedRows(of: Array(ids[half...]), in: snapshot)
        }
    }
}
