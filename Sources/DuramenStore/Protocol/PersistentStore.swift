public import DuramenModel
public import DuramenQuery
public import Foundation

/// A store of rows, on which contexts, batches and history are built.
///
/// All requirements are synchronous and may block. All parameters and results are `Sendable` values
/// of the lower modules. A store obeys ten laws, and one for each capability that it declares. The
/// conformance suite checks each law:
/// 1. A snapshot never sees a later save.
/// 2. A save is all or nothing. When base versions, also of rows that are only checked, or unique
///   values conflict, nothing is written and the outcome lists all conflicts.
/// 3. A saved row gets a version that it never had, even if its key was used before.
/// 4. Stores never see temporary IDs and never change keys. This store allocates keys before a
///   save; in a conversion, the copied store did. A converted key is never allocated.
/// 5. The edits of one change set are simultaneous.
/// 6. The part of a query that a store accepts has exactly the result of the reference evaluator.
/// 7. An undeclared capability fails with `.unsupported`, a declared one conforms to its protocol.
/// 8. Open snapshots neither block nor deadlock a save.
/// 9. Cancellation is honoured before the commit, never after.
/// 10. Metadata travels in the change set and commits with the data.
public protocol PersistentStore: AnyObject, Sendable {
    /// The type of the store's snapshots.
    associatedtype Snapshot: StoreSnapshot

    /// The model that the store was opened with.
    var model: ManagedObjectModel { get }
    /// The number of the store in this process, part of object IDs.
    var handle: StoreHandle { get }
    /// The optional capabilities of the store.
    var capabilities: StoreCapabilities { get }
    /// Counts of work done, for tests and diagnostics.
    var counters: StoreCounters { get }

    /// Returns the last committed metadata.
    func metadata() throws(StoreError) -> StoreMetadata

    /// Returns a snapshot of the newest state.
    ///
    /// - Throws: `.readersExhausted` when too many different states are in use; `.closed`.
    func snapshot() throws(StoreError) -> Snapshot

    /// Allocates keys that no row of the entity's hierarchy has had or will have.
    ///
    /// Keys are leased in growing blocks, with one durable write each. Unused keys are lost; gaps
    /// are fine.
    func allocateKeys(_ count: Int, for entity: EntityID) throws(StoreError) -> Range<Int64>

    /// Writes a change set, whole or not at all.
    ///
    /// Expected conflicts are an outcome, not an error.
    ///
    /// - Throws: `.unknownOutcome` when the commit was interrupted and may or may not have
    ///   happened; see ``generation(ofSave:)``. After any other error nothing was written.
    func save(_ changes: ChangeSet) throws(StoreError) -> SaveOutcome

    /// Returns the state that a save created, by the save's identifier; nil when it was not
    /// committed.
    ///
    /// Call this after `.unknownOutcome`. At least the last 1,024 saves are remembered.
    func generation(ofSave identifier: UUID) throws(StoreError) -> StoreGeneration?

    /// Returns the part of a query that the store evaluates itself; none by default.
    func pushdown(for query: StoreQuery) -> Pushdown

    /// Closes the store. Snapshots must not be used afterwards; closing twice does nothing.
    func close() throws(StoreError)
}

extension PersistentStore {
    /// Returns a pushdown that only iterates over an entity's rows and leaves the rest to the core.
    public func pushdown(for query: StoreQuery) -> Pushdown { .none(for: query) }
}

/// An unchanging state of a store, usable from any thread until it is released.
public protocol StoreSnapshot: AnyObject, Sendable {
    /// The number of this state; equal generations of one store show equal states.
    var generation: StoreGeneration { get }

    /// Whether the store has no later state, if this is known at almost no cost; otherwise false,
    /// which is the default.
    var isNewest: Bool { get }

    /// Returns the rows with the given IDs. Unknown IDs are left out; rows are in the order of the
    /// request.
    ///
    /// - Throws: `.tooLarge` if several rows together take more memory than ``RowAnswerLimit``;
    ///   request fewer rows at a time.
    func rows(for ids: [ManagedObjectID]) throws(StoreError) -> RowBatch

    /// Returns one row, or nil if it does not exist. By default calls ``rows(for:)``.
    func row(for id: ManagedObjectID) throws(StoreError) -> Row?

    /// Returns one row, decoded into a pool of the caller, or nil if it does not exist. By default
    /// calls ``row(for:)``, which is as good if allocating memory costs little compared with
    /// reading.
    func row(for id: ManagedObjectID, in pool: RowPool) throws(StoreError) -> Row?

    /// Returns the destinations of to-many relationships, one list per source, each in ascending
    /// order of IDs.
    ///
    /// Destinations whose row is missing are left out; the list of an unknown source is empty.
    func destinations(
        of relationship: RelationshipID, from sources: [ManagedObjectID]
    ) throws(StoreError) -> [[ManagedObjectID]]

    /// Returns the destinations of ordered to-many relationships, one list per source, by order
    /// number. Objects without a number come first, and objects with equal numbers are ordered by
    /// ID.
    ///
    /// A member's number is in its row, in ``Relationship/orderSlot`` of the inverse, or is part of
    /// the pair. Destinations whose row is missing are left out; the list of an unknown source is
    /// empty.
    func orderedDestinations(
        of relationship: RelationshipID, from sources: [ManagedObjectID]
    ) throws(StoreError) -> [[OrderedDestination]]

    /// Returns the rows of the part of a query that ``PersistentStore/pushdown(for:)`` accepted, in
    /// order.
    ///
    /// - Parameter query: The query with the store's preparation. A query that was made after the
    ///   pushdown has no preparation.
    func cursor(_ query: PreparedQuery) throws(StoreError) -> any StoreCursor

    /// Returns the IDs of the rows of the accepted part of a query, in order.
    func objectIDs(_ query: PreparedQuery) throws(StoreError) -> [ManagedObjectID]

    /// Returns the number of results of the accepted part of a query; by default counts the rows.
    func count(_ query: PreparedQuery) throws(StoreError) -> Int

    /// Returns the uniqueness constraints that saves do not enforce in this state, because rows
    /// shared unique values when the store was opened; none by default.
    func unenforcedConstraints() throws(StoreError) -> Set<UniquenessConstraint>
}

/// A member of an ordered to-many.
public struct OrderedDestination: Sendable, Hashable {
    /// The ID of the member.
    public var id: ManagedObjectID
    /// The member's number in the order; nil for none.
    public var order: Int64?

    /// Describes a member.
    public init(_ id: ManagedObjectID, order: Int64?) {
        self.id = id
        self.order = order
    }
}

extension OrderedDestination: Comparable {
    /// Orders members by number, then by ID. Members without a number come first.
    public static func < (a: OrderedDestination, b: OrderedDestination) -> Bool {
        guard let first = a.order, let second = b.order else {
            return a.order == nil && b.order == nil ? a.id < b.id : a.order == nil
        }
        return first == second ? a.id < b.id : first < second
    }
}

/// An iterator over batches of rows, in order. Used by one task at a time.
public protocol StoreCursor: AnyObject {
    /// Returns the next rows, at most `maximumRows`; nil at the end. A batch is never empty.
    func next(maximumRows: Int) throws(StoreError) -> RowBatch?
}

/// The number of a store's state: equal for equal states, and larger for later ones.
public struct StoreGeneration: RawRepresentable, Hashable, Comparable, Sendable {
    /// The number of the last save that the state shows.
    public let rawValue: Int64

    /// Creates a generation from a store's number.
    public init(rawValue: Int64) { self.rawValue = rawValue }

    /// Returns whether `a` is an earlier state.
    public static func < (a: StoreGeneration, b: StoreGeneration) -> Bool {
        a.rawValue < b.rawValue
    }
}
