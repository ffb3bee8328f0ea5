/// Contestants doing the same work, and the targets that one of them is held to.
@MainActor
struct Measurement {
    /// What is counted in each round.
    enum Quantity: Sendable {
        case processorNanoseconds
        /// Time by the clock, for work that waits: for a disk, or beside another thread.
        case elapsedNanoseconds
        /// Bytes taken from the allocator between the start and the end of a body, while its
        /// outcome is still held.
        case heldBytes
        /// How far a counter moves in a body.
        case statements(@MainActor @Sendable () -> Int)

        var unit: String {
            switch self {
            case .processorNanoseconds: "ns"
            case .elapsedNanoseconds: "ns by the clock"
            case .heldBytes: "bytes"
            case .statements: "statements"
            }
        }
    }

    /// Number in the table of targets and a word, such as `5 fault`; unique.
    let name: String
    let title: String
    /// The store that Duramen uses.
    let store: StoreKind
    let quantity: Quantity
    /// What one operation is: `row`, `lookup`, `access`.
    let operation: String
    /// What each figure is divided by.
    let operations: Int
    /// Whether row 16 compares this figure at two sizes.
    let scales: Bool
    let contestants: [Contestant]
    let targets: [Target]

    init(
        _ name: String, title: String, store: StoreKind = .sqlite,
        quantity: Quantity = .processorNanoseconds,
        operation: String = "row", operations: Int, scales: Bool = true,
        targets: [Target], contestants: [Contestant]
    ) {
        self.name = name
        self.title = title
        self.store = store
        self.quantity = quantity
        self.operation = operation
        self.operations = operations
        self.scales = scales
        self.contestants = contestants
        self.targets = targets
    }

    /// The same measurement under another name, with some contestants and other targets.
    func restricted(to roles: Set<Role>, name: String, targets: [Target]) -> Measurement {
        Measurement(
            name, title: title, store: store, quantity: quantity, operation: operation,
            operations: operations, scales: scales, targets: targets,
            contestants: contestants.filter { roles.contains($0.role) })
    }
}

/// A row of the table of targets in the performance document.
@MainActor
struct BenchmarkRow {
    /// The number in that table: `1`, `11b`.
    let number: String
    /// A word that selects the row on the command line.
    let word: String
    let title: String
    let measurements: @MainActor (Dataset) async throws -> [Measurement]
}
