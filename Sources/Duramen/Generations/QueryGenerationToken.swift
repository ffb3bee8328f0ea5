import DuramenModel
import DuramenStore

/// A state of a container's stores that contexts can be pinned to; see
/// ``ManagedObjectContext/setQueryGeneration(from:)``.
///
/// A context's token keeps its state readable while the token is retained, within the lease of the
/// store's snapshots.
public struct QueryGenerationToken: Sendable {
    enum Value: Sendable {
        case current
        case states([StoreHandle: PinnedSnapshot], of: PersistentStoreCoordinator)
    }

    let value: Value

    /// The newest state at the context's next read.
    public static let current = QueryGenerationToken(value: .current)
}

extension QueryGenerationToken: Equatable {
    /// Whether two tokens represent the same state of the same stores.
    public static func == (a: QueryGenerationToken, b: QueryGenerationToken) -> Bool {
        switch (a.value, b.value) {
        case (.current, .current): true
        case (.states(let first, let owner), .states(let second, let other)):
            owner === other && first.mapValues(\.generation) == second.mapValues(\.generation)
        default: false
        }
    }
}
