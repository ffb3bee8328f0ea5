import DuramenModel

/// The settings of the context. You can read them from anywhere at any time; they are as the last
/// finished closure left them.
///
/// ```swift
/// let background = container.newBackgroundContext()
/// await background.setMergePolicy(.mergeByPropertyObjectTrump)
/// await background.setTransactionAuthor("import")
/// ```
/// A setter runs in turn with the closures of the context.
extension BackgroundContext {
    /// The context's name, for diagnostics and history.
    public nonisolated var name: String? { settings.withLock { $0.name } }

    /// The author of saves, recorded in the history.
    public nonisolated var transactionAuthor: String? { settings.withLock { $0.author } }

    /// The policy that settles conflicts with other saves.
    public nonisolated var mergePolicy: MergePolicy {
        settings.withLock { $0.mergePolicy } ?? .error
    }

    /// Whether saves of other contexts are merged into this one, between its units of work.
    public nonisolated var automaticallyMergesChangesFromParent: Bool {
        settings.withLock { $0.automaticallyMergesChangesFromParent }
    }

    /// Sets the context's name, for diagnostics and history.
    public func setName(_ name: String?) {
        settings.withLock { $0.name = name }
        made?.name = name
    }

    /// Sets the author of saves, recorded in the history.
    public func setTransactionAuthor(_ author: String?) {
        settings.withLock { $0.author = author }
        made?.transactionAuthor = author
    }

    /// Sets the policy that settles conflicts with other saves.
    public func setMergePolicy(_ policy: MergePolicy) {
        settings.withLock { $0.mergePolicy = policy }
        made?.mergePolicy = policy
    }

    /// Sets whether saves of other contexts are merged into this one, between its units of work.
    ///
    /// Setting true traps if the context is pinned to a query generation, because it cannot merge
    /// then.
    public func setAutomaticallyMergesChangesFromParent(_ merges: Bool) {
        settings.withLock { $0.automaticallyMergesChangesFromParent = merges }
        made?.automaticallyMergesChangesFromParent = merges
    }
}

extension ContextOptions {
    /// Copies the present settings of a context.
    init(of context: ManagedObjectContext) {
        self.init(
            name: context.name, author: context.transactionAuthor,
            automaticallyMergesChangesFromParent: context.automaticallyMergesChangesFromParent,
            mergePolicy: context.mergePolicy)
    }
}
