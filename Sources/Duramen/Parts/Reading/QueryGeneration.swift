/// Which state of its store a part reads.
enum QueryGeneration {
    /// The newest state, in each unit of work.
    case newest
    /// The state that is newest when something is read next.
    case awaited
    case pinned(PinnedSnapshot)
    /// Nothing: the store was added after the context was pinned.
    case absent

    /// Whether reads do not show the newest state.
    var isPinned: Bool {
        if case .newest = self { return false }
        return true
    }

    /// Whether the store takes part in fetches.
    var isRead: Bool {
        if case .absent = self { return false }
        return true
    }

    /// What a part for a store that is added now reads.
    var ofNewStore: QueryGeneration {
        switch self {
        case .newest: .newest
        case .awaited: .awaited
        case .pinned, .absent: .absent
        }
    }
}
