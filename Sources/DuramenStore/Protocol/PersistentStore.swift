public import DuramenModel
public import DuramenQuery
public import Foundation

/// A place that keeps rows. Contexts, batches and history are built on it.
///
/// All requirements are synchronous and may block. Everything that crosses this line is a
/// `Sendable` value of the lower modules. A store keeps ten laws, and one for each capability that
/// it declares, each checked by the conformance suite:
/// 1. A snapshot never sees a later save.
/// 2. A save is all or nothing; when base versions, those of rows that are only checked among them,
///    or unique values conflict, nothing is written and all conflicts come back.
/// 3. A saved row gets a version that it never had, also when its key was used before.
/// 4. Stores never see temporary IDs and never rename; keys are allocated first, by this store or,
///    before a conversion, by the one that is copied; a key that came so is never handed out.
/// 5. The edits of one change set are simultaneous.
/// 6. What a store accepts of a query it answers exactly as the reference evaluator would.
/// 7. An undeclared capability fails with `.unsupported`, a declared one conforms to its protocol.
/// 8. Open snapshots neither block nor deadlock a save.
/// 9. Cancellation is honoured before the commit, never after.
/// 10. Metadata travels in the change set and commits with the data.
public protocol PersistentStore: AnyObject, Sendable {
    /// The type of a view of one unchanging state.
    associatedtype Snapshot: StoreSnapshot

    /// The model that the store was opened with.
    var model: ManagedObjectModel { get }
    /// The store's number in this process, as object IDs carry it.
    var handle: StoreHandle { get }
    /// The optional capabilities of the store.
    var capabilities: StoreCapabilities { get }
    /// Counts of work done, for tests and diagnostics.
    var counters: StoreCounters { get }

    /// Reads the metadata as last committed.
    func metadata() throws(StoreError) -> StoreMetadata

    /// Opens one unchanging state: the newest.
    ///
    /// - Throws: `.readersExhausted` when too many different states are held; `.closed`.
    func snapshot() throws(StoreError) -> Snapshot

    /// Hands out keys that no row of the entity's hierarchy has had or will have.
    ///
    /// Leases keys in growing blocks, one durable write each. Keys never used are lost; gaps are
    /// fine.
    func allocateKeys(_ count: Int, for entity: EntityID) throws(StoreError) -> Range<Int64>

    /// Writes a change set, whole or not at all.
    ///
    /// Expected conflicts are an outcome, not an error.
    ///
    /// - Throws: `.unknownOutcome` when the commit failed half way; see ``generation(ofSave:)``.
    ///   With any other error nothing was written.
    func save(_ changes: ChangeSet) throws(StoreError) -> SaveOutcome

    /// The state that a save made, found by the save's own identifier; nil when it was not
    /// committed.
    ///
    /// This resolves an unknown outcome. At least the last 1,024 saves are remembered.
    func generation(ofSave identifier: UUID) throws(StoreError) -> StoreGeneration?

    /// Returns the part of a query that the store answers itself; none by default.
    func pushdown(for query: StoreQuery) -> Pushdown

    /// Ends the use of the store. Snapshots must not be used afterwards; closing twice does
    /// nothing.
    func close() throws(StoreError)
}

extension PersistentStore {
    /// Leaves everything but the walk through an entity's rows to the core.
    public func pushdown(for query: StoreQuery) -> Pushdown { .none(for: query) }
}

/// One unchanging state of a store, usable from any thread until it is released.
public protocol StoreSnapshot: AnyObject, Sendable {
    /// Which state this is; equal generations of one store show equal states.
    var generation: StoreGeneration { get }

    /// Whether the store has no later state, if this is known at almost no cost; otherwise false,
    /// which is the default.
    var isNewest: Bool { get }

    /// Reads rows by ID. Unknown IDs are left out; results are in the order of the request.
    ///
    /// - Throws: `.tooLarge` where several rows together take more memory than
    ///   ``RowAnswerLimit``; whoever asked then asks for fewer at a time.
    func rows(for ids: [ManagedObjectID]) throws(StoreError) -> RowBatch

    /// Reads one row, or nil if it does not exist. By default calls ``rows(for:)``.
    func row(for id: ManagedObjectID) throws(StoreError) -> Row?

    /// Reads one row into a pool of the caller, or nil if it does not exist. By default calls
    /// ``row(for:)``, which is as good if a memory block costs little compared with reading.
    func row(for id: ManagedObjectID, in pool: RowPool) throws(StoreError) -> Row?

    /// Returns the destinations of to-manys, one list per source, each in ascending order of IDs.
    ///
    /// Destinations whose row is missing are left out; an unknown source has none.
    func destinations(
        of relationship: RelationshipID, from sources: [ManagedObjectID]
    ) throws(StoreError) -> [[ManagedObjectID]]

    /// Returns the destinations of ordered to-manys, one list per source, by number. Objects
    /// without a number come first, and objects with equal numbers are ordered by ID.
    ///
    /// The number of a member is in its row, in ``Relationship/orderSlot`` of the inverse, or comes
    /// with the pair. Destinations whose row is missing are left out; an unknown source has none.
    func orderedDestinations(
        of relationship: RelationshipID, from sources: [ManagedObjectID]
    ) throws(StoreError) -> [[OrderedDestination]]

    /// Answers what ``PersistentStore/pushdown(for:)`` took of a query, as rows in order.
    ///
    /// - Parameter query: With what the store prepared for it. Nothing was when somebody made the
    ///   query after the pushdown.
    func cursor(_ query: PreparedQuery) throws(StoreError) -> any StoreCursor

    /// The IDs of what the store took of a query, in order.
    func objectIDs(_ query: PreparedQuery) throws(StoreError) -> [ManagedObjectID]

    /// The number of results of what the store took of a query; by default from the rows.
    func count(_ query: PreparedQuery) throws(StoreError) -> Int

    /// Returns the uniqueness constraints that saves do not enforce in this state, because rows
    /// shared unique values when the store was opened; none by default.
    func unenforcedConstraints() throws(StoreError) -> Set<UniquenessConstraint>
}

/// A member of an ordered to-many.
public struct OrderedDestination: Sendable, Hashable {
    /// The member.
    public var id: ManagedObjectID
    /// Its number in the order; nil for none.
    public var order: Int64?

    /// Describes a member.
    public init(_ id: ManagedObjectID, order: Int64?) {
        self.id = id
        self.order = order
    }
}

extension OrderedDestination: Comparable {
    /// Members without a number come first, and those of equal numbers are ordered by ID.
    public static func < (a: OrderedDestination, b: OrderedDestination) -> Bool {
        guard let first = a.order, let second = b.order else {
            return a.order == nil && b.order == nil ? a.id < b.id : a.order == nil
        }
        return first == second ? a.id < b.id : first < second
    }
}

/// Rows on their way, in order. Used by one task at a time.
public protocol StoreCursor: AnyObject {
    /// The next rows, at most `maximumRows`; nil at the end. A batch is never empty.
    func next(maximumRows: Int) throws(StoreError) -> RowBatch?
}

/// A state of a store: equal for equal states, and larger for later ones.
public struct StoreGeneration: RawRepresentable, Hashable, Comparable, Sendable {
    /// The number of the last save that the state shows.
    public let rawValue: Int64

    /// Wraps a store's number.
    public init(rawValue: Int64) { self.rawValue = rawValue }

    /// True when `a` is an earlier state.
    public static func < (a: StoreGeneration, b: StoreGeneration) -> Bool {
        a.rawValue < b.rawValue
    }
}
