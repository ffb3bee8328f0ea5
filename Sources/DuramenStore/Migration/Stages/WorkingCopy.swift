import DuramenModel
import DuramenQuery
public import Foundation

/// A copy of a store that is migrated and then replaces the store.
///
/// A store that implements ``SchemaMigratingStore/migrate(through:)`` blocks other writers and
/// calls ``begin()``. It copies itself to ``description`` and calls ``run()``. Then it replaces its
/// data with that of the copy, in one step.
public final class WorkingCopy: Sendable {
    /// The store to migrate.
    public let original: PersistentStoreDescription
    /// The location of the copy. The copy has the identity of the store, and both are open at once.
    public let description: PersistentStoreDescription

    private let plan: MigrationPlan
    private let report: MigrationReport
    /// Makes a backup of the store; nil when none is kept.
    private let backup: (@Sendable () throws(StoreError) -> Void)?

    /// The fraction of the work at the start of the first change, and at the end of the last.
    private static let changes = 0.1...0.9

    init(
        _ plan: MigrationPlan, _ report: MigrationReport,
        backup: (@Sendable () throws(StoreError) -> Void)?
    ) {
        self.plan = plan
        self.report = report
        self.backup = backup
        original = plan.store.toBeMigrated
        description = plan.store.workingCopy
    }

    /// Starts the work. A store calls this once nobody else can write.
    ///
    /// - Throws: `.cancelled`; the error of a backup.
    public func begin() throws(StoreError) {
        report.begin(hop: 0, "copy", part: 0...Self.changes.lowerBound)
        try report.note(.backup)
        // Delete the copy of a killed process.
        description.discard()
        if let backup { try backup() }
        try report.note(.backup, 0.5)
    }

    /// Migrates the copy to the new version.
    ///
    /// - Throws: `.cancelled`; `.stepFailed` if a handler or a step throws; `.missingValue`; the
    ///   error of a change of the model.
    public func run() throws(StoreError) {
        let span = Self.changes.upperBound - Self.changes.lowerBound
        let share = span / Double(plan.hops.count)
        for (place, hop) in plan.hops.enumerated() {
            let start = Self.changes.lowerBound + share * Double(place)
            try StageRun(
                hop: hop, number: place, part: start...(start + share), copy: description,
                manager: plan.store.stagedMigrationManager, report: report
            ).run()
        }
        report.begin(
            hop: plan.hops.count - 1, "take the store's place", part: Self.changes.upperBound...1)
        try check()
        try report.note(.rows)
    }

    /// Returns the error for a save to the store after it was copied. The migration then starts
    /// again.
    public func overtaken() -> StoreError { report.overtaken() }

    /// Reports how much of the copy has replaced the store, from 0 to 1.
    ///
    /// - Throws: `.cancelled` if the migration was cancelled.
    public func note(_ part: Double) throws(StoreError) { try report.note(.rows, part) }

    /// Checks the identity and the version of the copy before it replaces the store.
    private func check() throws(StoreError) {
        let (own, new) = (
            // The store's lock is held for the migration, so it is read without opening it.
            try original.type.metadata(of: original.readOnly()),
            try description.type.metadata(of: description)
        )
        if own.storeUUID == new.storeUUID, new.modelChecksum == plan.target.versionChecksum {
            return
        }
        throw StoreError(
            .verificationFailed,
            "The copy '\(description.location)' is not what became of '\(plan.location)' in the migration; "
                + "somebody else wrote to it. Nothing was changed.")
    }
}

extension PersistentStoreDescription {
    /// The description of the working copy of the store.
    var workingCopy: PersistentStoreDescription {
        var copy = self
        copy.location = trimmedLocation + Self.workingMark
        copy.opening.copyDepth += 1
        copy.opening.isToBeMigrated = false
        copy.keepsHistory = false
        copy.stagedMigrationManager = nil
        copy.migrationObserver = nil
        // The copy is discarded after a failure.
        copy.durability = .unsafeNoSync
        copy.fileCheck = .whenChanged
        // Rows are read only once.
        copy.readCacheBytes = 8 << 20
        return copy
    }

    /// The suffix of the location of a working copy.
    public static let workingMark = ".migrating"

    /// Returns the identity under which a store registers with
    /// ``OpenStoreFile/addStore(_:in:path:)``.
    ///
    /// A working copy has the identity of its original, and both are open at once. So the copy
    /// registers under another identity.
    public func registration(of uuid: UUID) -> UUID {
        if isReadOnly, opening.isUnregistered { return UUID() }
        var bytes = uuid.uuid
        bytes.15 ^= opening.copyDepth
        return UUID(uuid: bytes)
    }
}
