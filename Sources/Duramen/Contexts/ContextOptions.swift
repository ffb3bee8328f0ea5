/// The settings of a new context.
public struct ContextOptions: Sendable {
    /// A name for diagnostics and history.
    public var name: String?
    /// The author of saves, recorded in the history.
    public var author: String?
    /// Whether saves of other contexts are merged into this one, between its units of work.
    public var automaticallyMergesChangesFromParent: Bool
    /// The merge policy for save conflicts. Nil means the policy of the container's default
    /// options, or ``MergePolicy/error`` when these have none.
    public var mergePolicy: MergePolicy?

    /// Creates settings for a context.
    public init(
        name: String? = nil, author: String? = nil,
        automaticallyMergesChangesFromParent: Bool = true, mergePolicy: MergePolicy? = nil
    ) {
        self.name = name
        self.author = author
        self.automaticallyMergesChangesFromParent = automaticallyMergesChangesFromParent
        self.mergePolicy = mergePolicy
    }
}
