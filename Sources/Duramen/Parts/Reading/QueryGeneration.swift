/// The state of its store that a part reads.
enum QueryGeneration {
    /// The newest state, in each unit of work.
    case newest
    /// The newest state at the next read.
    case awaited
    case pinned(PinnedSnapshot)
    /// None: the store was added after the context was pinned.
    case absent

    /// Whether reads show a pinned state instead of the newest one.
    var isPinned: Bool {
        if case .newest = self { return false }
        return true
    }

    /// Whether the store takes part in fetches.
    var isRead: Bool {
        if case .absent = self { return false }
        return true
    }

    /// The state that a part reads for a store that is added now.
    var ofNewStore: QueryGeneration {
        switch self {
        case .newest: .newest
        case .awaited: .awaited
        case .pinned, .absent: .absent
        }
    }
}
