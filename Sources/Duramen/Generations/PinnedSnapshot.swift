import DuramenModel
import DuramenQuery
import DuramenStore

/// A state of one store that contexts are pinned to.
///
/// The store may end it after its lease, like any snapshot. The error then explains how to continue
/// with a context.
final class PinnedSnapshot: StoreSnapshot {
    /// The store, retained for the lifetime of the snapshot.
    let store: any PersistentStore
    private let base: any StoreSnapshot

    /// Creates a snapshot of the newest state.
    init(_ store: any PersistentStore) throws(StoreError) {
        self.store = store
        base = try store.snapshot()
    }

    var generation: StoreGeneration { base.generation }

    func rows(for ids: [ManagedObjectID]) throws(StoreError) -> RowBatch {
        do throws(StoreError) { return try base.rows(for: ids) } catch { throw error.ofPin }
    }

    func row(for id: ManagedObjectID) throws(StoreError) -> Row? {
        do throws(StoreError) { return try base.row(for: id) } catch { throw error.ofPin }
    }

    func destinations(
        of relationship: RelationshipID, from sources: [ManagedObjectID]
    ) throws(StoreError) -> [[ManagedObjectID]] {
        do throws(StoreError) {
            return try base.destinations(of: relationship, from: sources)
        } catch {
            throw error.ofPin
        }
    }

    func orderedDestinations(
        of relationship: RelationshipID, from sources: [ManagedObjectID]
    ) throws(StoreError) -> [[OrderedDestination]] {
        do throws(StoreError) {
            return try base.orderedDestinations(of: relationship, from: sources)
        } catch {
            throw error.ofPin
        }
    }

    func cursor(_ query: PreparedQuery) throws(StoreError) -> any StoreCursor {
        do throws(StoreError) {
            return PinnedCursor(try base.cursor(query))
        } catch {
            throw error.ofPin
        }
    }

    func objectIDs(_ query: PreparedQuery) throws(StoreError) -> [ManagedObjectID] {
        do throws(StoreError) { return try base.objectIDs(query) } catch { throw error.ofPin }
    }

    func count(_ query: PreparedQuery) throws(StoreError) -> Int {
        do throws(StoreError) { return try base.count(query) } catch { throw error.ofPin }
    }
}

extension PinnedSnapshot: AggregatingSnapshot {
    func groups(of query: GroupQuery) throws(StoreError) -> [GroupValues]? {
        guard let base = base as? any AggregatingSnapshot else { return nil }
        do throws(StoreError) { return try base.groups(of: query) } catch { throw error.ofPin }
    }
}

extension PinnedSnapshot: ExplainingSnapshot {
    func steps(of query: PreparedQuery) throws(StoreError) -> [String] {
        guard let base = base as? any ExplainingSnapshot else { return [] }
        do throws(StoreError) { return try base.steps(of: query) } catch { throw error.ofPin }
    }
}

private final class PinnedCursor: StoreCursor {
    private let base: any StoreCursor

    init(_ base: any StoreCursor) { self.base = base }

    func next(maximumRows: Int) throws(StoreError) -> RowBatch? {
        do throws(StoreError) {
            return try base.next(maximumRows: maximumRows)
        } catch {
            throw error.ofPin
        }
    }
}

extension StoreError {
    /// The error with a message for a pinned context.
    fileprivate var ofPin: StoreError {
        guard code == .snapshotExpired else { return self }
        return StoreError(
            .snapshotExpired,
            "The query generation that the context is pinned to is gone. It was held for longer than the "
                + "lease of the store's snapshots, and the store needed the space. Nothing is lost: call "
                + "setQueryGeneration(from: .current) and read again, or give the store a longer lease.",
            detail: message)
    }
}
