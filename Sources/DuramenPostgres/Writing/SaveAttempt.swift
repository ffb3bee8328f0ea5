import DuramenModel
import DuramenQuery
import DuramenStore
import Foundation
import Synchronization

/// One attempt to write a change set: usually one round trip, from BEGIN to COMMIT.
struct SaveAttempt {
    /// The end of an attempt that did not fail.
    enum End {
        case saved(SaveOutcome)
        /// A history began; nothing was written.
        case historyChanged
        /// Another save came first, or values are taken; nothing was written.
        case stopped
    }

    private let writer: StoreWriter
    private let core: StoreCore
    private let changes: ChangeSet
    private let stamp: Int64
    private let isTransaction: Bool
    private let keepsHistory: Bool

    init(_ writer: StoreWriter, _ changes: ChangeSet, stamp: Int64, isTransaction: Bool) {
        self.writer = writer
        core = writer.core
        self.changes = changes
        self.stamp = stamp
        self.isTransaction = isTransaction
        keepsHistory = writer.keepsHistory.load(ordering: .acquiring)
    }

    func run() throws(StoreError) -> End {
        let connection = try writer.connections.take(
            within: Deadline(seconds: core.settings.timeoutSeconds))
        // After a failure, this rolls back.
        defer { writer.connections.give(back: connection) }
        do throws(AttemptStop) {
            return .saved(try run(on: connection))
        } catch {
            switch error {
            case .failure(let error): throw error
            case .historyChanged: return .historyChanged
            case .stopped: return .stopped
            }
        }
    }

    private func run(on connection: Connection) throws(AttemptStop) -> SaveOutcome {
        var pipeline = ChangePipeline(core, stamp: stamp)
        begin(&pipeline)
        var completed = CompletedChanges(changes)
        var history = HistoryRows(core, stamp: stamp)
        // Values for derived attributes and for the history of deletions are read within the
        // transaction before anything is written.
        if core.readsFirst(changes, keepsHistory: keepsHistory) {
            _ = try send(
                pipeline, on: connection,
                RunLimits(deadline: core.replyDeadline, cancellation: changes.cancellation))
            pipeline = ChangePipeline(core, stamp: stamp)
            let reading = RowReading(core, connection)
            do throws(StoreError) {
                if let derived = core.derived {
                    completed = try derived.complete(changes, from: reading)
                }
                if keepsHistory { try history.readTombstones(completed.changes, reading) }
            } catch {
                throw .failure(error)
            }
        }
        do throws(StoreError) {
            try pipeline.write(completed.changes)
            writer.raiseKeys(changes.inserts, in: &pipeline)
            if keepsHistory, isTransaction {
                try history.add(completed.changes)
                history.write(to: &pipeline)
            }
        } catch {
            throw .failure(error)
        }
        if let cancellation = changes.cancellation, cancellation.isCancelled {
            throw .failure(StoreCore.cancelled)
        }
        if pipeline.isLarge {
            // This can be cancelled, and may take longer than the answer to a COMMIT.
            _ = try send(
                pipeline, on: connection, RunLimits(cancellation: changes.cancellation))
            pipeline = ChangePipeline(core, stamp: stamp)
        }
        pipeline.endSave(
            changes, core, changeCount: keepsHistory && isTransaction ? history.count : nil)
        let results = try send(
            pipeline, on: connection, RunLimits(deadline: core.replyDeadline, commits: true))
        guard let number = results[results.count - 2].int64(0, 0) else {
            throw .failure(core.damagedState)
        }
        core.newest.note(number, stamp: stamp)
        let version = RowVersion(rawValue: stamp)
        return .saved(
            completed.receipt(
                StoreGeneration(rawValue: number), insertedVersion: version, in: core.model,
                updatedVersion: { _ in version }))
    }

    /// The error for an object under a key that another one has.
    static var keyInUse: StoreError {
        StoreError(
            .invalidRequest,
            "An object is inserted under a key that is in use; allocate a key for it.",
            detail: "key was used")
    }

    /// Begins the transaction. The state is that after the gate was passed.
    private func begin(_ pipeline: inout ChangePipeline) {
        pipeline.add(Statement.beginSave, as: .control)
        if core.settings.durability != .full {
            pipeline.add(Statement.relaxDurability, as: .control)
        }
        // Values that are derived from other objects would be stale if these changed meanwhile.
        pipeline.add(
            core.derives(from: changes)
                ? core.statements.saves.lockGateAlone : core.statements.saves.lockGateShared,
            as: .control)
        pipeline.add(
            core.statements.saves.assertState, [.bigint(core.layout), .boolean(keepsHistory)],
            as: .state)
    }

    private func send(
        _ pipeline: ChangePipeline, on connection: Connection, _ limits: RunLimits
    ) throws(AttemptStop) -> [ResultSet] {
        core.counters.noteStatement()
        do throws(PostgresFailure) {
            return try connection.run(pipeline.pipeline, limits)
        } catch {
            throw stop(error, pipeline, connection)
        }
    }

    private func stop(
        _ failure: PostgresFailure, _ pipeline: ChangePipeline, _ connection: Connection
    ) -> AttemptStop {
        if failure.isOutcomeUnknown {
            connection.close()
            writer.noteUnknown(changes.identifier)
            return .failure(core.unknownOutcome(of: changes.identifier))
        }
        rollBack(connection)
        switch (failure.sqlState, pipeline.role(of: failure)) {
        case ("22012", .state): return writer.noticeState()
        case ("22012", .version), ("23505", .claim), ("40001", _), ("40P01", _): return .stopped
        case ("23505", .key):
            return .failure(Self.keyInUse)
        case ("23505", .number):
            return .failure(
                StoreError(
                    .invalidRequest,
                    "The identifier of a save was used before, or the save was given up; save with "
                        + "a new identifier."))
        case ("25006", _):
            // The primary is another server now.
            writer.dropConnections()
            return .failure(core.error(failure, "save to"))
        default:
            // A new state shows whether the store was migrated meanwhile.
            if failure.isOfGoneTable, case .failure(let error) = writer.noticeState() {
                return .failure(error)
            }
            return .failure(core.error(failure, "save to"))
        }
    }

    /// Ends the transaction without waiting: the next run on the connection reads the answer.
    private func rollBack(_ connection: Connection) {
        if connection.isInTransaction { connection.sendRollback() }
    }
}

extension StoreCore {
    /// Whether a save of changes reads within its transaction before it writes: values for derived
    /// attributes, or for the history of deletions.
    func readsFirst(_ changes: ChangeSet, keepsHistory: Bool) -> Bool {
        derives(from: changes)
            || keepsHistory
                && changes.deletes.contains { deletion in
                    model.entity(of: deletion.id).map { properties.leavesValues($0.id) } ?? false
                }
    }

    /// Whether derived attributes depend on what changed.
    fileprivate func derives(from changes: ChangeSet) -> Bool {
        derived?.isConcerned(by: changes) == true
    }
}

/// The reason why an attempt stopped.
enum AttemptStop: Error {
    case stopped
    case historyChanged
    case failure(StoreError)
}

extension ChangePipeline {
    /// Adds the statements that number a save, and commit it.
    ///
    /// - Parameters:
    ///   - heading: The identifier, author and other names.
    ///   - core: The store.
    ///   - changeCount: The number of changes in the history; nil for no transaction of it.
    mutating func endSave(_ heading: ChangeSet, _ core: StoreCore, changeCount: Int?) {
        add(core.statements.saves.lockTurn, as: .control)
        number(heading, core, changeCount: changeCount)
        add(Statement.commit, as: .control)
    }

    /// Adds the statement that numbers a save.
    mutating func number(_ heading: ChangeSet, _ core: StoreCore, changeCount: Int?) {
        let isRecorded = changeCount != nil
        add(
            core.statements.saves.numberSave,
            [
                .bigint(stamp), .double(core.settings.clock.date().timeIntervalSinceReferenceDate),
                .stored(isRecorded ? HistoryOrigin.bundleID : nil),
                .stored(isRecorded ? HistoryOrigin.processID : nil),
                .stored(isRecorded ? heading.contextName : nil),
                .stored(isRecorded ? heading.author : nil),
                changeCount.map { .integer(Int32(clamping: $0)) } ?? .null(.integer),
                .uuid(heading.identifier),
            ], as: .number)
    }
}
