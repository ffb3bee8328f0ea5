import DuramenModel
import DuramenStore

/// The result of an attempt to save. Conflicts are values here, because a policy may settle them. A
/// save that fails turns them into an error.
enum SaveAttempt {
    /// Everything was written, or nothing was to be written.
    case written
    /// There were conflicts, and nothing was written.
    case conflicted([MetConflict])
    /// Some stores were written, but the next one failed.
    case partly(PartOfSave)
    /// Nothing was written: another save came after the check for deleted objects, which must be
    /// repeated.
    case overtaken
}

/// The progress of a save of several stores.
struct PartOfSave {
    /// The reason why a store was not written.
    enum Obstacle {
        case conflicts([MetConflict])
        case failure(any Error)
    }

    let saved: [StoreHandle]
    let failed: StoreHandle
    let obstacle: Obstacle

    /// Returns the result of a save that failed at one of several stores.
    static func attempt(
        of stores: [StoreHandle], stoppedAt index: Int, _ obstacle: Obstacle
    ) throws -> SaveAttempt {
        if index > 0 {
            return .partly(
                PartOfSave(
                    saved: Array(stores[..<index]), failed: stores[index], obstacle: obstacle))
        }
        switch obstacle {
        case .conflicts(let conflicts): return .conflicted(conflicts)
        case .failure(let error): throw error
        }
    }
}
