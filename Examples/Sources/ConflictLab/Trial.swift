import Duramen
import PackageModel

/// A policy, and why it decides as it does.
struct Trial: Sendable {
    let name: String
    let policy: MergePolicy
    let reason: String

    static let all = [
        Trial(
            name: "error", policy: .error,
            reason: "The save throws SaveConflictError with all conflicts and writes nothing."),
        Trial(
            name: "mergeByPropertyStoreTrump", policy: .mergeByPropertyStoreTrump,
            reason: "Both sides' changes; where both changed one property, what was saved first."),
        Trial(
            name: "mergeByPropertyObjectTrump", policy: .mergeByPropertyObjectTrump,
            reason: "Both sides' changes; where both changed one property, the writer that saves."),
        Trial(
            name: "fill", policy: .fill,
            reason: "As before, but what the writer does not know erases nothing."),
        Trial(
            name: "overwrite", policy: .overwrite,
            reason: "The object as the writer has it; the other one's changes are lost."),
        Trial(
            name: "rollback", policy: .rollback,
            reason: "The object as it was saved first; the writer's changes are dropped."),
        Trial(
            name: "custom", policy: .custom(addingSizes),
            reason: "A closure: sizes are counted up, all else as mergeByPropertyObjectTrump."),
    ]

    /// Adds what both sides added to a number.
    @Sendable
    private static func addingSizes(_ conflict: SaveConflict) -> ConflictResolution {
        let resolution = ConflictResolution.policy(.mergeByPropertyObjectTrump)
        guard let base = conflict.base?[\Package.installedSizeKiB],
            let mine = conflict.mine?[\Package.installedSizeKiB],
            let stored = conflict.stored?[\Package.installedSizeKiB]
        else { return resolution }
        return resolution.setting(\Package.installedSizeKiB, to: stored + mine - base)
    }
}
