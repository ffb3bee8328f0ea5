import DuramenModel

/// The settings of the context. They can be read anywhere and at any time, as the last closure left
/// them.
///
/// ```swift
/// let background = container.newBackgroundContext()
/// await background.setMergePolicy(.mergeByPropertyObjectTrump)
/// await background.setTransactionAuthor("import")
/// ```
/// Setting waits its turn among the closures of the context.
extension BackgroundContext {
    /// The context's name, for diagnostics and history.
    public nonisolated var name: String? { settings.withLock { $0.name } }

    /// The author of saves, recorded in the history.
    public nonisolated var transactionAuthor: String? { settings.withLock { $0.author } }

    /// The answer of a save to conflicts with what others saved.
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

    /// Sets the answer of a save to conflicts with what others saved.
    public func setMergePolicy(_ policy: MergePolicy) {
        settings.withLock { $0.mergePolicy = policy }
        made?.mergePolicy = policy
    }

    /// Sets whether saves of other contexts are merged into this one, between its units of work.
    ///
    /// A context that is pinned to a query generation cannot merge: true traps then.
    public func setAutomaticallyMergesChangesFromParent(_ merges: Bool) {
        settings.withLock { $0.automaticallyMergesChangesFromParent = merges }
        made?.automaticallyMergesChangesFromParent = merges
    }
}

extension ContextOptions {
    /// How a context is set up at the moment.
    init(of context: ManagedObjectContext) {
        self.init(
            name: context.name, author: context.transactionAuthor,
            automaticallyMergesChangesFromParent: context.automaticallyMergesChangesFromParent,
            mergePolicy: context.mergePolicy)
    }
}
