import DuramenModel
import DuramenStore

/// A state of a container's stores that contexts can be pinned to; see
/// ``ManagedObjectContext/setQueryGeneration(from:)``.
///
/// A token of a context keeps its state readable for as long as somebody has the token, within the
/// lease of the store's snapshots.
public struct QueryGenerationToken: Sendable {
    enum Value: Sendable {
        case current
        case states([StoreHandle: PinnedSnapshot], of: PersistentStoreCoordinator)
    }

    let value: Value

    /// The state that is newest when the context reads next.
    public static let current = QueryGenerationToken(value: .current)
}

extension QueryGenerationToken: Equatable {
    /// Whether two tokens name the same state of the same stores.
    public static func == (a: QueryGenerationToken, b: QueryGenerationToken) -> Bool {
        switch (a.value, b.value) {
        case (.current, .current): true
        case (.states(let first, let owner), .states(let second, let other)):
            owner === other && first.mapValues(\.generation) == second.mapValues(\.generation)
        default: false
        }
    }
}
