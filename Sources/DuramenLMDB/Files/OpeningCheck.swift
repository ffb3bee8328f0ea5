import DuramenFileStore
import DuramenModel
import DuramenStore
import Foundation

/// Decides whether all of a file is checked before the engine maps it, and checks it.
struct OpeningCheck {
    let policy: FileCheck
    /// The time of day.
    let now: Double

    init(_ description: PersistentStoreDescription) {
        policy = description.fileCheck
        now = description.clock.date().timeIntervalSinceReferenceDate
    }

    /// The last file that this process has checked, and the time. A failed opening leaves no mark
    /// in the folder; and a file that is opened several times for a migration is checked only once.
    private static let last = Locked<(state: CheckMark.State, time: Double)?>(nil)

    /// Checks the file of a store that nobody has open.
    ///
    /// - Returns: The time of the last complete check; nil if unknown.
    /// - Throws: `.damagedFile`
    func run(_ folder: StoreFolder) throws(StoreError) -> Double? {
        let mark = CheckMark(leftIn: folder)
        let state = CheckMark(folder)?.state
        if policy == .whenChanged, let state,
            let time = Self.last.withLock({ $0?.state == state ? $0?.time : nil })
        {
            return time
        }
        let isUnchanged = mark != nil && mark?.state == state
        guard isNeeded(folder, isUnchanged: isUnchanged, checkTime: mark?.checkTime) else {
            return mark?.checkTime
        }
        try StructureCheck.checkAll(folder)
        if let state { Self.last.withLock { $0 = (state, now) } }
        // A reader leaves no mark at its end, and must not check a large file each time.
        if isUnchanged { CheckMark.leave(folder, checkTime: now) }
        return now
    }

    /// Checks the file of a store that another process has open, while nobody writes.
    ///
    /// The other process has already checked a large file, and has changed it since.
    func runBesideOthers(_ folder: StoreFolder) throws(StoreError) -> Double? {
        if isNeeded(folder, isUnchanged: true, checkTime: now) {
            try StructureCheck.checkAll(folder)
            return now
        }
        return CheckMark(leftIn: folder)?.checkTime
    }

    private func isNeeded(
        _ folder: StoreFolder, isUnchanged: Bool, checkTime: Double?
    ) -> Bool {
        switch policy {
        case .always: true
        case .whenChanged: !isUnchanged
        case .automatic: !isUnchanged || isSmall(folder) || isOld(checkTime)
        }
    }

    private func isSmall(_ folder: StoreFolder) -> Bool {
        guard case .file(_, let size) = SystemCalls.kind(of: folder.data) else { return true }
        return size <= FileCheck.smallFileBytes
    }

    // After the clock was set back, the age is unknown.
    private func isOld(_ checkTime: Double?) -> Bool {
        guard let checkTime else { return true }
        return !(0...FileCheck.lifetimeSeconds).contains(now - checkTime)
    }
}

extension FileCheck {
    /// The size up to which ``automatic`` always checks files, which takes a quarter of a second.
    static let smallFileBytes: Int64 = 512 << 20
    /// How long ``automatic`` relies on a check of a larger file, in seconds.
    static let lifetimeSeconds = 86_400.0
}
