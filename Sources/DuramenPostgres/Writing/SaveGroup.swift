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
///
/// The numbers of saves follow their order, so a group ends before a change set that needs a
/// transaction of its own.
struct SaveGroup {
    typealias Outcome = Result<SaveOutcome, StoreError>

    private let writer: StoreWriter
    private let core: StoreCore
    private let group: ArraySlice<ChangeSet>
    private let keepsHistory: Bool
    /// The first change set that is not in the group.
    private var end: Int
    /// The stamp of each change set, by its place.
    private var stamps: [Int: Int64] = [:]
    private var outcomes: [Int: Outcome] = [:]

    /// Prepares the writing of change sets from the first on.
    init(_ writer: StoreWriter, _ changes: ArraySlice<ChangeSet>) {
        self.writer = writer
        core = writer.core
        let keepsHistory = writer.keepsHistory.load(ordering: .acquiring)
        self.keepsHistory = keepsHistory
        let core = core
        end =
            changes.firstIndex { core.readsFirst($0, keepsHistory: keepsHistory) }
            ?? changes.endIndex
        group = changes[..<end]
    }

    /// Writes the group.
    ///
    /// - Returns: The outcomes of the first change sets, which may be all: a change set that could
    ///   not be judged, and those behind it, were not written. Nil if the state of the tables is
    ///   another one, so that nothing was written, and each save has to find out alone.
    mutating func run() throws(StoreError) -> [Outcome]? {
        // A save of its own costs less.
        if group.count < 2 { return [] }
        for place in group.indices { stamps[place] = try writer.nextStamp() }
        let connection = try writer.connections.take(
            within: Deadline(seconds: core.settings.timeoutSeconds))
        defer { writer.connections.give(back: connection) }
        var written: [(place: Int, changeCount: Int?)] = []
        var next = group.startIndex
        while true {
            let trip = try trip(from: next, after: written)
            if trip.sets.isEmpty, written.isEmpty { break }
            let failure = try send(trip, on: connection)
            written += trip.sets.filter { set in
                failure.map { $0.statement >= set.end } ?? true
            }.map { ($0.place, $0.changeCount) }
            guard let failure else {
                finish(written, trip.results)
                break
            }
            guard let failed = trip.sets.first(where: { $0.end > failure.statement }),
                failure.statement >= failed.start
            else {
                // Each save would wait for as long.
                if failure.sqlState == "55P03" { throw core.error(failure, "save to") }
                return nil
            }
            try judge(failed.place, failure, trip, connection)
            // Nobody knows yet how this one ends, so those behind it wait.
            if outcomes[failed.place] == nil { end = failed.place }
            next = failed.place + 1
        }
        return group[..<end].indices.compactMap { outcomes[$0] }
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
    ///   - written: The change sets that earlier trips have written.
    private mutating func trip(
        from first: Int, after written: [(place: Int, changeCount: Int?)]
    ) throws(StoreError) -> Trip {
        let trip = Trip(core)
        if first == group.startIndex {
            trip.pipeline.add(.beginSave, as: .control)
            if core.settings.durability != .full {
                trip.pipeline.add(.relaxDurability, as: .control)
            }
            trip.pipeline.add(core.statements.saves.lockGateShared, as: .control)
            trip.pipeline.add(
                core.statements.saves.assertState,
                [.bigint(core.layout), .boolean(keepsHistory)], as: .state)
        }
        for place in group.indices where place >= first && place < end && outcomes[place] == nil {
            let changes = group[place]
            if let cancellation = changes.cancellation, cancellation.isCancelled {
                outcomes[place] = .failure(StoreCore.cancelled)
                continue
            }
            do throws(StoreError) {
                try core.check.check(changes)
                if try !add(changes, place, to: trip) { end = place }
            } catch {
                outcomes[place] = .failure(error)
            }
        }
        trip.pipeline.addSync()
        trip.pipeline.add(core.statements.saves.lockTurn, as: .control)
        for (place, changeCount) in written + trip.sets.map({ ($0.place, $0.changeCount) }) {
            trip.pipeline.stamp = stamps[place] ?? 0
            trip.pipeline.number(group[place], core, changeCount: changeCount)
        }
        trip.pipeline.add(.commit, as: .control)
        return trip
    }

    /// Adds a change set, unless the group would be large then.
    private func add(
        _ changes: ChangeSet, _ place: Int, to trip: Trip
    ) throws(StoreError) -> Bool {
        let stamp = stamps[place] ?? 0
        var own = ChangePipeline(core, stamp: stamp)
        own.add(.savepoint, as: .control)
        try own.write(changes)
        writer.raiseKeys(changes.inserts, in: &own)
        var count: Int?
        if keepsHistory {
            var history = HistoryRows(core, stamp: stamp)
            try history.add(changes)
            history.write(to: &own)
            count = history.count
        }
        own.add(.releaseSavepoint, as: .control)
        if own.isLarge || trip.pipeline.isLarge { return false }
        trip.pipeline.addSync()
        let start = trip.pipeline.roles.count
        trip.pipeline.append(own)
        trip.sets.append(
            Trip.Set(
                place: place, start: start, end: trip.pipeline.roles.count, changeCount: count))
        return true
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
                throw core.unknownOutcome(of: group[group.startIndex].identifier)
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
            let stamp = stamps[place] ?? 0
            core.newest.note(number, stamp: stamp)
            let version = RowVersion(rawValue: stamp)
            outcomes[place] = .success(
                .saved(
                    CompletedChanges(group[place]).receipt(
                        StoreGeneration(rawValue: number), insertedVersion: version,
                        in: core.model, updatedVersion: { _ in version })))
        }
    }
}
