public import DuramenQuery

/// How `context.import(from:into:)` goes through a feed.
public struct ImportOptions: Sendable {
    /// The treatment of elements that cannot be imported.
    public enum FailureHandling: Sendable, Hashable {
        /// The report lists the element, and the import goes on.
        case report
        /// The import fails, and nothing of it is saved. All of it is one save then, so the memory
        /// must hold all its objects.
        case fail
    }

    /// The treatment of elements that cannot be imported.
    public var failureHandling = FailureHandling.report
    /// The number of elements in a chunk. A chunk is one save and one transaction of the history,
    /// and its objects are in memory at once.
    public var chunkSize = 1_000
    /// The position where an earlier import ended; nil to begin with the first element.
    public var start: ImportPosition?
    /// A flag that ends the import with `.cancelled` before the next chunk.
    public var cancellation: CancellationFlag?
    /// A closure that receives the state after each chunk.
    public var progress: (@Sendable (ImportProgress) -> Void)?

    /// Reports failures, saves after each 1,000 elements, and begins with the first one.
    public init() {}
}
