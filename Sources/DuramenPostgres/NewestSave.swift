import DuramenModel
import DuramenStore
import Synchronization

/// The newest save that this process has seen, by which it notices that a store went back: a
/// standby without the last saves took over, or a backup was restored.
///
/// Otherwise one number would name two states, and keys would be given out twice.
final class NewestSave: Sendable {
    private let known = Locked<(number: Int64, stamp: Int64)?>(nil)
    private let wentBack = Atomic<Bool>(false)

    /// Whether the store went back.
    var hasGoneBack: Bool { wentBack.load(ordering: .acquiring) }

    /// The number of the newest save; nil for none.
    var number: Int64? { known.withLock { $0?.number } }

    /// Records a save that is visible to others.
    func note(_ number: Int64, stamp: Int64) {
        known.withLock { known in
            if (known?.number ?? .min) < number { known = (number, stamp) }
        }
    }

    /// Looks on a new connection whether the newest save is still there.
    ///
    /// - Throws: `.storeWentBack`
    func check(_ connection: Connection, _ core: StoreCore) throws(StoreError) {
        guard let (number, stamp) = known.withLock({ $0 }) else { return }
        let result: ResultSet
        do throws(PostgresFailure) {
            result = try connection.run(
                core.statements.saves.stamp, [.bigint(number)],
                RunLimits(deadline: core.replyDeadline))
        } catch {
            throw core.error(error, "reach")
        }
        guard result.rowCount == 1, let newest = result.int64(0, 0) else {
            throw core.damagedState
        }
        // A migration may number saves in its own way; the next state tells of it.
        if result.int64(0, 2) != core.layout { return }
        // A save that is not among the last may have been trimmed.
        let mayBeTrimmed = newest - number >= StoreWriter.rememberedSaves
        if newest >= number, result.int64(0, 1).map({ $0 == stamp }) ?? mayBeTrimmed { return }
        wentBack.store(true, ordering: .releasing)
        throw core.wentBack
    }
}

extension StoreCore {
    /// Checks a connection that was just opened.
    var checkNew: @Sendable (Connection) throws(StoreError) -> Void {
        { [weak self] (connection) throws(StoreError) in
            if let self { try self.newest.check(connection, self) }
        }
    }

    /// The error for a store that lacks saves which this process has seen.
    var wentBack: StoreError {
        StoreError(
            .storeWentBack,
            "'\(place)' lacks saves that this process has seen: a standby took over, or a backup "
                + "was restored. Close the store, open it again, and reset all contexts.")
    }
}
