/// Who takes part in a measurement. One of each role at most in one measurement.
enum Role: String, CaseIterable, Sendable {
    /// The C interface of SQLite, called from Swift: the limit of what Duramen can reach.
    case raw
    /// The C interface again, on tables with the columns and indexes that Duramen's store keeps.
    case rawStoreLayout
    /// The C interface of LMDB, called from Swift, with a record made for this workload.
    case rawLMDB
    /// GRDB with records whose columns come from `Codable`, as most applications write them.
    case grdbCodable
    /// GRDB with cached statements, and with records decoded by column index.
    case grdbByHand
    /// Plain objects in memory, without any store.
    case memory
    /// The loop of the measurement with nothing in it.
    case empty
    /// The C interface of SQLite with nobody else at work.
    case rawAlone
    /// The C interface of SQLite, asked for its rows in the order of their keys.
    case rawOrdered
    /// The C interface of SQLite, where a subquery finds the keys before rows are read.
    case rawIdentifiersFirst
    /// The C interface of SQLite reading the first page, beside a deep one.
    case rawFirstPage
    /// Duramen with nobody else at work.
    case duramenAlone
    /// Duramen, with dictionaries where the measurement is about tuples.
    case duramenDictionaries
    /// Duramen reading the first page, beside a deep one.
    case duramenFirstPage
    /// Duramen on a store that keeps no history.
    case duramenWithoutHistory
    /// Over a store without checksums of rows.
    case duramenWithoutChecksums
    /// Duramen with objects that nothing lists.
    case duramenObjects
    /// Duramen, with destinations prefetched.
    case duramenPrefetched
    /// Duramen with batch requests that an application writes by hand.
    case duramenBatches
    /// Duramen fetching a list anew.
    case duramenRefetch
    /// Duramen on a store whose model is still the one it was written with.
    case duramenUnchanged
    case duramen

    /// The name in reports.
    var title: String {
        switch self {
        case .raw: "raw SQLite"
        case .rawStoreLayout: "raw SQLite, store layout"
        case .rawLMDB: "raw LMDB"
        case .grdbCodable: "GRDB Codable"
        case .grdbByHand: "GRDB by hand"
        case .memory: "plain objects"
        case .empty: "empty loop"
        case .rawAlone: "raw SQLite alone"
        case .rawOrdered: "raw SQLite, by key"
        case .rawIdentifiersFirst: "raw SQLite, keys first"
        case .rawFirstPage: "raw SQLite, first page"
        case .duramenAlone: "Duramen alone"
        case .duramenDictionaries: "Duramen, dictionaries"
        case .duramenFirstPage: "Duramen, first page"
        case .duramenWithoutHistory: "Duramen, no history"
        case .duramenWithoutChecksums: "Duramen, no checksums"
        case .duramenObjects: "Duramen, objects alone"
        case .duramenPrefetched: "Duramen, prefetched"
        case .duramenRefetch: "Duramen, fetched anew"
        case .duramenBatches: "Duramen, batches by hand"
        case .duramenUnchanged: "Duramen, model unchanged"
        case .duramen: "Duramen"
        }
    }
}

/// What one run of a contestant gives back.
struct Outcome {
    /// A sum over what was read or written; equal for all contestants that did the same work.
    let checksum: Int
    /// What is to be held while memory is measured; nothing in measurements of time.
    let held: Any?
    /// What the run measured itself, for all its operations together; nil where the time of the
    /// whole run counts.
    let amount: Double?

    init(_ checksum: Int, holding held: Any? = nil, amount: Double? = nil) {
        self.checksum = checksum
        self.held = held
        self.amount = amount
    }
}

/// One way to do the work of a measurement.
///
/// Each round calls `prepare`, `body`, `verify` and `finish` in this order. Only `body` is
/// measured. What `body` makes must also end in it, so that the price of letting go is counted for
/// everybody.
@MainActor
struct Contestant {
    let role: Role
    /// Operations of one `body`, where they differ from those of the measurement: a contestant a
    /// hundred times slower than the rest may do a part of the work. Its checksum is then its own.
    let operations: Int?
    let prepare: @MainActor () async throws -> Void
    let body: @MainActor () throws -> Outcome
    /// Reads back what `body` wrote; added to the checksum.
    let verify: @MainActor () async throws -> Int
    let finish: @MainActor () async throws -> Void

    init(
        _ role: Role, operations: Int? = nil,
        prepare: @escaping @MainActor () async throws -> Void = {},
        verify: @escaping @MainActor () async throws -> Int = { 0 },
        finish: @escaping @MainActor () async throws -> Void = {},
        body: @escaping @MainActor () throws -> Outcome
    ) {
        self.role = role
        self.operations = operations
        self.prepare = prepare
        self.body = body
        self.verify = verify
        self.finish = finish
    }
}
