import DuramenModel
import DuramenQuery
import DuramenStore
import Foundation
import Synchronization

/// Change sets that are written in one transaction, with one commit: the server flushes once.
///
/// ```
///   BEGIN, gate ─ sync ─ SAVEPOINT, set 1, RELEASE ─ sync ─ … ─ sync ─ turn, numbers, COMMIT
/// ```
/// The first change set that fails makes the server refuse those behind it. It is judged in the
/// state that those before it left, and those behind it are sent again.
struct SaveGroup {
    typealias Outcome = Result<SaveOutcome, StoreError>

    private let writer: StoreWriter
    private let core: StoreCore
    private let group: [ChangeSet]
    private let keepsHistory: Bool
    /// The stamp of each change set.
    private var stamps: [Int64] = []
    private(set) var outcomes: [Outcome?]

    init(_ writer: StoreWriter, _ group: [ChangeSet]) {
        self.writer = writer
        core = writer.core
        self.group = group
        keepsHistory = writer.keepsHistory.load(ordering: .acquiring)
        outcomes = Array(repeating: nil, count: group.count)
    }

    /// Writes the change sets that need nothing but their statements. The others keep nil, and are
    /// saved one by one.
    mutating func run() throws(StoreError) {
        for _ in group { stamps.append(try writer.nextStamp()) }
        let connection = try writer.connections.take(
            within: Deadline(seconds: core.settings.timeoutSeconds))
        defer { writer.connections.give(back: connection) }
        var written: [(place: Int, changeCount: Int?)] = []
        var next = 0
        var begins = true
        while true {
            let trip = try trip(from: next, beginning: begins, after: written)
            begins = false
            let failure = try send(trip, on: connection)
            written += trip.sets.filter { set in
                failure.map { $0.statement >= set.end } ?? true
            }.map { ($0.place, $0.changeCount) }
            guard let failure else { return finish(written, trip.results) }
            guard let failed = trip.sets.first(where: { $0.end > failure.statement }),
                failure.statement >= failed.start
            else {
                // Another form of the tables, or a wait for too long: each save finds out alone.
                return
            }
            try judge(failed.place, failure, trip, connection)
            next = failed.place + 1
            if written.isEmpty, next >= group.count {
                connection.sendRollback()
                return
            }
        }
    }

    // MARK: - Trips

    /// The statements of one round trip.
    private final class Trip {
        struct Set {
            let place: Int
            let start: Int
            let end: Int
            let changeCount: Int?
        }

        var pipeline: ChangePipeline
        var sets: [Set] = []
        var results: [ResultSet?] = []

        init(_ core: StoreCore) { pipeline = ChangePipeline(core, stamp: 0) }
    }

    /// - Parameters:
    ///   - first: The first change set to send.
    ///   - begins: Whether the transaction begins here.
    ///   - written: The change sets that earlier trips have written.
    private mutating func trip(
        from first: Int, beginning begins: Bool, after written: [(place: Int, changeCount: Int?)]
    ) throws(StoreError) -> Trip {
        let trip = Trip(core)
        if begins {
            trip.pipeline.add(.beginSave, as: .control)
            if core.settings.durability != .full {
                trip.pipeline.add(.relaxDurability, as: .control)
            }
            trip.pipeline.add(core.statements.saves.lockGateShared, as: .control)
            trip.pipeline.add(
                core.statements.saves.assertState,
                [.bigint(core.layout), .boolean(keepsHistory)], as: .state)
        }
        for place in group.indices.dropFirst(first) where outcomes[place] == nil {
            let changes = group[place]
            if let cancellation = changes.cancellation, cancellation.isCancelled {
                outcomes[place] = .failure(StoreCore.cancelled)
                continue
            }
            if SaveAttempt(writer, changes, stamp: 0, isTransaction: true).readsFirst { continue }
            do throws(StoreError) {
                try core.check.check(changes)
                try add(changes, place, to: trip)
            } catch {
                outcomes[place] = .failure(error)
            }
        }
        trip.pipeline.addSync()
        trip.pipeline.add(core.statements.saves.lockTurn, as: .control)
        for (place, changeCount) in written + trip.sets.map({ ($0.place, $0.changeCount) }) {
            trip.pipeline.stamp = stamps[place]
            trip.pipeline.number(group[place], core, changeCount: changeCount)
        }
        trip.pipeline.add(.commit, as: .control)
        return trip
    }

    private func add(_ changes: ChangeSet, _ place: Int, to trip: Trip) throws(StoreError) {
        var own = ChangePipeline(core, stamp: stamps[place])
        own.add(.savepoint, as: .control)
        try own.write(changes)
        writer.raiseKeys(changes.inserts, in: &own)
        var count: Int?
        if keepsHistory {
            var history = HistoryRows(core, stamp: stamps[place])
            try history.add(changes)
            history.write(to: &own)
            count = history.count
        }
        own.add(.releaseSavepoint, as: .control)
        trip.pipeline.addSync()
        let start = trip.pipeline.roles.count
        trip.pipeline.append(own)
        trip.sets.append(
            Trip.Set(
                place: place, start: start, end: trip.pipeline.roles.count, changeCount: count))
    }

    /// Sends a trip.
    ///
    /// - Returns: The first failure, after which nothing of the trip was done.
    private func send(
        _ trip: Trip, on connection: Connection
    ) throws(StoreError) -> PostgresFailure? {
        core.counters.noteStatement()
        do throws(PostgresFailure) {
            let outcome = try connection.runAll(
                trip.pipeline.pipeline, RunLimits(deadline: core.replyDeadline, commits: true))
            trip.results = outcome.results
            return outcome.failures.first
        } catch {
            if error.isOutcomeUnknown {
                connection.close()
                for changes in group { writer.noteUnknown(changes.identifier) }
                throw core.unknownOutcome(of: group[0].identifier)
            }
            throw core.error(error, "save to")
        }
    }

    // MARK: - Outcomes

    /// Finds out why a change set failed, in the state that those before it left.
    private mutating func judge(
        _ place: Int, _ failure: PostgresFailure, _ trip: Trip, _ connection: Connection
    ) throws(StoreError) {
        let reading = RowReading(core, connection)
        _ = try reading.run(.rollBackToSavepoint, [])
        _ = try reading.run(.releaseSavepoint, [])
        switch (failure.sqlState, trip.pipeline.role(of: failure)) {
        case ("22012", .version), ("23505", .claim):
            let conflicts = try ConflictCollector(group[place], reading).conflicts()
            // Nothing found: another process came first, as a save of its own will see.
            if !conflicts.isEmpty { outcomes[place] = .success(.conflicted(conflicts)) }
        case ("40001", _), ("40P01", _): break
        case ("23505", .key): outcomes[place] = .failure(SaveAttempt.keyInUse)
        default: outcomes[place] = .failure(core.error(failure, "save to"))
        }
    }

    private mutating func finish(
        _ written: [(place: Int, changeCount: Int?)], _ results: [ResultSet?]
    ) {
        // The numbers come before the commit, the last statement.
        let numbers = results.dropLast().suffix(written.count)
        for ((place, _), result) in zip(written, numbers) {
            guard let number = result?.int64(0, 0) else {
                outcomes[place] = .failure(core.damagedState)
                continue
            }
            core.newest.note(number, stamp: stamps[place])
            let version = RowVersion(rawValue: stamps[place])
            outcomes[place] = .success(
                .saved(
                    CompletedChanges(group[place]).receipt(
                        StoreGeneration(rawValue: number), insertedVersion: version,
                        in: core.model, updatedVersion: { _ in version })))
        }
    }
}
