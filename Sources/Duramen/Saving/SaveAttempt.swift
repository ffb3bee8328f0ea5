import DuramenModel
import DuramenStore

/// The outcome of an attempt to save. A conflict is a value here, since a policy may settle it. A
/// save that gives up makes an error of it.
enum SaveAttempt {
    /// All is written, or nothing was to be written.
    case written
    /// Nothing is written.
    case conflicted([MetConflict])
    /// Some stores are written, the next one is not.
    case partly(PartOfSave)
    /// Nothing is written: somebody else saved after the context looked, which must look again.
    case overtaken
}

/// How far a save of several stores came.
struct PartOfSave {
    /// Why a store was not written.
    enum Obstacle {
        case conflicts([MetConflict])
        case failure(any Error)
    }

    let saved: [StoreHandle]
    let failed: StoreHandle
    let obstacle: Obstacle

    /// What became of a save that met an obstacle at one of several stores.
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
