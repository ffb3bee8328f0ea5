import DuramenStore
import Foundation
import Synchronization

extension StoreCore {
    /// The error for users of a snapshot whose transaction ended.
    var snapshotExpired: StoreError {
        StoreError(
            .snapshotExpired,
            "A snapshot of '\(place)' ended: it was held for longer than its lease, or its "
                + "connection was lost. Take a new snapshot, or give a longer lease.")
    }

    /// The error for tables without the row about the store.
    var damagedState: StoreError {
        StoreError(
            .damagedFile,
            "The tables of '\(place)' lack the row about the store, or the saves; restore a copy.")
    }

    /// The error for cancelled work.
    static var cancelled: StoreError {
        StoreError(.cancelled, "The work was cancelled before it took effect.")
    }
}

extension StoreCore {
    /// The error of a failed run.
    func error(_ failure: PostgresFailure, _ action: String) -> StoreError {
        failure.storeError(name, during: action)
    }

    /// The error for a commit that nobody saw the end of.
    func unknownOutcome(of identifier: UUID) -> StoreError {
        StoreError(
            .unknownOutcome,
            "The connection to '\(place)' was lost while a save was committed; whether it was is "
                + "found by its identifier, \(identifier).")
    }

    /// How long to wait for an answer: the server gives up waiting for locks before.
    var replyDeadline: Deadline { Deadline(seconds: settings.timeoutSeconds + 5) }
}

extension StoreWriter {
    /// Finds out why a save's picture of the store was wrong: a history began, or the tables have
    /// another form.
    func noticeState() -> AttemptStop {
        do throws(StoreError) {
            let about = try snapshots.withNewest { (connection, _) throws(StoreError) in
                try RowReading(core, connection).run(core.statements.history.extent, [])
            }
            keepsHistory.store(
                about.rowCount == 1 && !about.isNull(0, 0), ordering: .releasing)
            return .historyChanged
        } catch {
            return .failure(error)
        }
    }
}
