import DuramenModel
import DuramenQuery
import DuramenStore

/// A fetch off the owner, with the work that the owner does: creating queries, and making objects
/// from the rows.
struct FetchOffOwner {
    /// Rows to load again off the owner.
    struct Reading: Sendable {
        /// The index of the part.
        let store: Int
        let query: QueryOffOwner
        let ids: [ManagedObjectID]
    }

    private let request: ErasedFetchRequest
    private let flag: CancellationFlag
    /// The parts of the context whose stores are queried.
    private let parts: [ContextPart]
    /// By part, the time of ``MergeLedger/meanwhile`` at which the rows are up to date.
    private var times: [Int]
    /// The first of ``times`` when the fetch began.
    private let begun: Int
    /// The rows that were loaded again; nil for deleted objects.
    private var newer: [ManagedObjectID: Row?] = [:]
    /// The queries to run off the owner, by part.
    let queries: [QueryOffOwner]

    /// Creates the fetch for a request.
    ///
    /// - Throws: The errors of ``FetchOfStores``, and ``StoreError``.
    init(
        _ request: ErasedFetchRequest, in context: ManagedObjectContext,
        cancelledBy flag: CancellationFlag
    ) throws {
        let fetch = try FetchOfStores(request, in: context)
        var request = request
        if fetch.only == nil { request.query = fetch.widened.query }
        self.request = request
        self.flag = flag
        queries = try fetch.parts.map { part in
            var query = try part.queryOffOwner(request, cancelledBy: flag)
            query.makesFaults = true
            return query
        }
        parts = fetch.parts
        times = parts.map { $0.beginReadingOffOwner() }
        begun = times.first ?? 0
    }

    /// Ends the fetch. Call it once, when no more rows are awaited.
    func end() { for part in parts { part.ledger.endFetch() } }

    // MARK: - Changes during the fetch

    /// Returns the rows to load again because their objects changed during the fetch; usually none.
    mutating func readingsAgain(in answer: AnswerOffOwner) throws -> [Reading] {
        if isUpToDate { return [] }
        var ids: [Int: [ManagedObjectID]] = [:]
        answer.forEachRow { store, row in
            let id = id(of: row, store)
            if parts[store].ledger.meanwhile.mayConcern(id, since: times[store]) {
                ids[store, default: []].append(id)
            }
        }
        times = parts.map(\.ledger.meanwhile.time)
        return try ids.map { store, ids in
            let query = try parts[store].queryOffOwner(request, cancelledBy: flag)
            return Reading(store: store, query: query, ids: ids)
        }
    }

    /// Keeps rows that were loaded again.
    mutating func take(_ rows: [ManagedObjectID: Row], of reading: Reading) {
        for id in reading.ids { newer[id] = .some(rows[id]) }
    }

    private var isUpToDate: Bool {
        zip(parts, times).allSatisfy { $0.ledger.meanwhile.time == $1 }
    }

    private func id(of row: Row, _ store: Int) -> ManagedObjectID {
        let part = parts[store]
        return part.currentID(of: row.objectID(in: part.model, store: part.handle.store))
    }

    // MARK: - Creating objects

    /// Creates the objects of rows that are up to date.
    func materialize(_ answer: AnswerOffOwner, _ body: (ManagedObject) -> Void) throws {
        if case .batches(let batches, _) = answer, newer.isEmpty {
            try parts[0].register(batches, request) { counted in
                let object = counted.taken()
                if isResult(object) { body(object) }
            }
        } else {
            try answer.forEachRow { store, row in
                try pass(object(of: row, store), to: body)
            }
        }
        guard case .batches(_, let faults) = answer else { return }
        for id in faults where !isGone(id) {
            try pass(parts[0].registerFaultHere(id), to: body)
        }
    }

    /// Whether a result without a row was deleted during the fetch.
    private func isGone(_ id: ManagedObjectID) -> Bool {
        guard parts[0].ledger.meanwhile.mayConcern(id, since: begun) else { return false }
        do { return try parts[0].readRow(id) == nil } catch { return false }
    }

    private func pass(_ object: ManagedObject?, to body: (ManagedObject) -> Void) throws {
        guard let object, isResult(object) else { return }
        try request.check(object)
        body(object)
    }

    private func object(of row: Row, _ store: Int) -> ManagedObject? {
        let part = parts[store]
        let id = id(of: row, store)
        if let known = part.registeredHere(id), known.hasChanges { return known }
        // The object was new, and the owner has discarded it since.
        if id.isTemporaryID, part.parentPart == nil { return nil }
        let current = newer[id] ?? row
        return current.map { part.register($0, refreshing: request.refreshes) }
    }

    /// Whether an object was not deleted during the fetch.
    private func isResult(_ object: ManagedObject) -> Bool {
        request.includesPendingChanges
            ? object.isThere : object.flags.isDisjoint(with: [.gone, .deletedElsewhere])
    }
}
