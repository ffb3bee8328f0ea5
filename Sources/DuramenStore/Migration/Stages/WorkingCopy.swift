import DuramenModel
import DuramenQuery
public import Foundation

/// A copy of a store that goes through several changes of the model, and through what a program
/// does between them, before it takes the store's place.
///
/// A store that does this itself keeps others from writing, calls ``begin()``, copies itself to
/// ``description`` and calls ``run()``; then it takes over what the copy has, at once.
public final class WorkingCopy: Sendable {
    /// The store.
    public let original: PersistentStoreDescription
    /// Where the copy belongs. It keeps the identity of the store, which may be open meanwhile.
    public let description: PersistentStoreDescription

    private let plan: MigrationPlan
    private let report: MigrationReport
    /// Keeps the store as it is; nil when it is not kept.
    private let backup: (@Sendable () throws(StoreError) -> Void)?

    /// The part of the work that is done before the first change, and when the last one is.
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

    /// Begins the work. A store calls this once nobody else can write.
    ///
    /// - Throws: `.cancelled`; what a copy that is kept throws.
    public func begin() throws(StoreError) {
        report.begin(hop: 0, "copy", part: 0...Self.changes.lowerBound)
        try report.note(.backup)
        // One that a process has left that was killed.
        description.discard()
        if let backup { try backup() }
        try report.note(.backup, 0.5)
    }

    /// Makes the copy a store of the new version.
    ///
    /// - Throws: `.cancelled`; `.stepFailed` for what a handler or a step throws; `.missingValue`;
    ///   what a change of the model throws.
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

    /// The error of a store that somebody saved to since it was copied; all begins again.
    public func overtaken() -> StoreError { report.overtaken() }

    /// Tells whoever watches how much of the copy has taken the store's place, from 0 to 1.
    ///
    /// - Throws: `.cancelled` when the work shall stop.
    public func note(_ part: Double) throws(StoreError) { try report.note(.rows, part) }

    /// Makes sure that the copy is what it is to be, before anything is taken away.
    private func check() throws(StoreError) {
        let (own, new) = (
            // Whoever migrates it holds its lock.
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
    /// The store beside this one on which its migration works.
    var workingCopy: PersistentStoreDescription {
        var copy = self
        copy.location = trimmedLocation + Self.workingMark
        copy.copyDepth += 1
        copy.isToBeMigrated = false
        copy.keepsHistory = false
        copy.stagedMigrationManager = nil
        copy.migrationObserver = nil
        // It is thrown away unless all goes well.
        copy.durability = .unsafeNoSync
        copy.fileCheck = .whenChanged
        // Rows are read once.
        copy.readCacheBytes = 8 << 20
        return copy
    }

    /// What the location of a working copy ends with.
    package static let workingMark = ".migrating"

    /// What a store of an identity is noted as open under, by ``OpenStoreFile/addStore(_:in:path:)``: a
    /// working copy is open beside the store whose identity it has.
    public func registration(of uuid: UUID) -> UUID {
        var bytes = uuid.uuid
        bytes.15 ^= copyDepth
        return UUID(uuid: bytes)
    }
}
