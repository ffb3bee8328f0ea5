import Dispatch
import DuramenModel
import DuramenStore

/// A save that waits to be written together with saves of other contexts.
///
/// The thread that saves sleeps until it leads the next group, or until its save was written.
final class GroupedSave: Sendable {
    /// The next step of a sleeping thread.
    enum Step: Sendable {
        /// Write the next group.
        case lead
        /// Handle the result of the save. No other save of the store runs until `next` is signaled.
        case finish(Result<SaveOutcome, StoreError>, next: DispatchSemaphore)
        /// Check for deleted objects again: another save came after the check. Nothing was written.
        case checkAgain
    }

    let changes: ChangeSet
    /// The inbox of the context that saves.
    let inbox: Inbox
    /// The mark of the inbox before the context checked for deleted objects.
    let mark: Inbox.Mark

    /// Signaled when the thread has a step to do.
    let turn = DispatchSemaphore(value: 0)
    private let step = Locked<Step?>(nil)

    init(_ changes: ChangeSet, inbox: Inbox, mark: Inbox.Mark) {
        self.changes = changes
        self.inbox = inbox
        self.mark = mark
    }

    /// Sets the next step of the sleeping thread, which ``turn`` wakes.
    func prepare(_ next: Step) { step.withLock { $0 = next } }

    /// Wakes the sleeping thread for a step.
    func wake(for next: Step) {
        prepare(next)
        turn.signal()
    }

    /// Returns the next step. Blocks until there is one.
    func waitForStep() -> Step {
        turn.wait()
        guard let next = step.withLock({ $0 }) else {
            preconditionFailure("A grouped save was woken without a step.")
        }
        return next
    }
}
