/// How a context is set up when it is made.
public struct ContextOptions: Sendable {
    /// A name for diagnostics and history.
    public var name: String?
    /// The author of the saves, for history.
    public var author: String?
    /// Whether saves of other contexts are merged into this one, between its units of work.
    public var automaticallyMergesChangesFromParent: Bool
    /// The policy for conflicts. Nil for the policy of the container's default options, or
    /// ``MergePolicy/error`` when these have none.
    public var mergePolicy: MergePolicy?

    /// Describes a context.
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
