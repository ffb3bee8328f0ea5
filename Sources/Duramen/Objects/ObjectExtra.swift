import DuramenModel

/// What only some objects carry: the base of their edits, their to-manys, what went wrong.
final class ObjectExtra {
    /// The row that the edits are based on; nil for new and for unchanged objects.
    var base: Row?
    /// What somebody else saved meanwhile; taken over when the changes here are dropped.
    var meanwhile: StoredMeanwhile?
    /// By the index of the to-many; nil where nothing is known or changed.
    @exclusivity(unchecked) var toManys: [ToManyState?] = []
    /// Why a value could not be read.
    var faultError: (any Error)?

    /// What is known of a to-many; nil for nothing.
    @inline(__always) func knownState(at index: Int) -> ToManyState? {
        index < toManys.count ? toManys[index] : nil
    }

    func state(at index: Int, count: Int) -> ToManyState {
        if toManys.isEmpty { toManys = Array(repeating: nil, count: count) }
        if let state = toManys[index] { return state }
        let state = ToManyState()
        toManys[index] = state
        return state
    }
}

/// What became of an object in the store while it was changed here.
enum StoredMeanwhile {
    case changed(Row)
    case deleted
}
