import DuramenModel

/// A statement: SQL with numbered parameters, and never a value in its text.
struct Statement: Sendable, Hashable {
    /// The SQL.
    let text: String
    /// Whether each connection prepares it once and keeps it; otherwise it is sent unnamed.
    let isPrepared: Bool

    /// Hashes of texts are asked for by each run, and some texts are long.
    private let textHash: Int

    /// Creates a statement.
    init(_ text: String, prepared: Bool = true) {
        self.text = text
        isPrepared = prepared
        textHash = prepared ? StoredText(text).hashValue : 0
    }

    /// Texts with names that only look alike differ.
    static func == (a: Statement, b: Statement) -> Bool {
        a.textHash == b.textHash && a.isPrepared == b.isPrepared
            && StoredText(a.text) == StoredText(b.text)
    }

    func hash(into hasher: inout Hasher) { hasher.combine(textHash) }

    /// Whether it ends a transaction for good.
    var isCommit: Bool { text.utf8.starts(with: "COMMIT".utf8) }
}

/// Statements that are sent in one round trip.
///
/// The first that fails makes the server refuse those behind it, up to the next sync. There is a
/// sync at the end; ``addSync()`` puts one in between.
struct Pipeline: Sendable {
    /// One statement with its parameters.
    struct Item: Sendable {
        /// The statement.
        let statement: Statement
        /// Its parameters, in their order.
        let parameters: [Parameter]
    }

    /// The statements, in their order.
    private(set) var items: [Item] = []
    /// The numbers of statements before which the server goes on after a failure.
    private(set) var syncs: Set<Int> = []

    /// Creates a pipeline without statements.
    init() {}

    /// The number of statements.
    var count: Int { items.count }

    /// Adds a statement.
    mutating func add(_ statement: Statement, _ parameters: [Parameter] = []) {
        items.append(Item(statement: statement, parameters: parameters))
    }

    /// Adds a statement without parameters.
    mutating func add(_ text: String, prepared: Bool = true) {
        add(Statement(text, prepared: prepared))
    }

    /// Lets the server go on with what is added from here when what was added before has failed.
    mutating func addSync() {
        if !items.isEmpty { syncs.insert(items.count) }
    }
}

/// The outcome of a pipeline with syncs in between.
struct PipelineOutcome {
    /// The results by the numbers of their statements; nil where a statement failed or was refused.
    let results: [ResultSet?]
    /// The first failure of each part between two syncs, in order.
    let failures: [PostgresFailure]
}
