import StoreTestSupport

/// How much the tests of faults and races do. `DURAMEN_SCRIPTS` asks for more, or for a slice.
enum TestSizes {
    /// Processes that write to one store.
    static let processes = 3
    /// Threads of each of them.
    static let threads = 2
    /// Increments of each thread.
    static let increments = sized(30)
    /// Pairs of objects for write skew.
    static let skewPairs = sized(30)
    /// Transactions of each client whose history is judged.
    static let listTransactions = sized(40)
    /// Edits of children by each writer.
    static let derivedEdits = sized(20)
    /// Saves of each writer while others read.
    static let prefixSaves = sized(30)
    /// Cut connections of each kind.
    static let cuts = sized(8)
    /// Look-ups while a commit is held.
    static let fences = sized(6)
    /// Connections that the server ends.
    static let terminations = sized(40)
    /// Cancelled fetches.
    static let cancellations = sized(300)
    /// Fetches, some of which are cancelled at any moment.
    static let cancelledFetches = sized(400)
    /// Saves while snapshots are held.
    static let savesBesideSnapshots = sized(200)

    /// Random questions about one store. A store takes as long to make as a hundred questions, so a
    /// soak asks more of each.
    static let questions = repetitions(1) < 1_000 ? 100 : 1_000

    private static func sized(_ usual: Int) -> Int {
        isSlice ? max(2, usual / 5) : repetitions(usual)
    }
}
