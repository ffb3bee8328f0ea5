public import DuramenModel

/// What becomes of a store when its model becomes another one, before anything is done.
///
/// ```swift
/// let plan = try MigrationPlanner(model: model).plan(for: .sqlite("library.sqlite"))
/// print(plan)
/// ```
/// What is refused depends on the two models alone, so that it is met in the first test. Only a
/// change that holds as long as the values allow it is decided by the store: it is checked when the
/// migration runs, and nothing is done when it fails.
public struct MigrationPlan: Sendable {
    /// What becomes of rows and pairs.
    public let change: SchemaChange
    /// What may be done.
    public let policy: MigrationPolicy
    /// Which store it is for.
    public let store: PersistentStoreDescription

    /// What the store's own model says of properties that are not read, though the new model has
    /// them: their values would be lost.
    private let unread: [StoredModelFinding]

    /// Plans what makes a store with a kept model one of another version.
    init(
        for store: PersistentStoreDescription, from source: StoredModel,
        to target: ManagedObjectModel, _ policy: MigrationPolicy
    ) {
        let change = SchemaChange(from: source.model, to: target, fills: policy.fills)
        self.change = change
        self.policy = policy
        self.store = store
        unread = source.findings.filter { finding in
            guard let name = finding.property,
                let old = change.source.entity(named: finding.entity),
                old.property(named: name) == nil, let new = change.targetEntity(old.id)
            else { return false }
            return change.target[new].property(named: name) != nil
        }
    }

    /// Where the store is.
    public var location: String { store.location }

    /// Whether there is nothing to do.
    public var isEmpty: Bool { change.isEmpty }

    /// What stores of the two versions differ in.
    public var changes: [ModelChange] { change.changes.filter { $0.effect != .none } }

    /// The changes by which something is lost.
    public var losses: [ModelChange] { changes.filter { $0.loss != nil } }

    /// Why the migration is not begun, each with what settles it; none when it is.
    public var refusals: [String] {
        var refusals = change.unsettled.compactMap { change -> String? in
            if change.isAboutMissingValue {
                return
                    "\(change) (give it a default value, or set fills[\"\(change.name)\"] of the migration policy)"
            }
            guard change.isSettledByLoss else { return change.description }
            return policy.loss == .all
                ? nil
                : "\(change) (allow what it leads to to be lost with loss = .all of the migration policy)"
        }
        if policy.loss != .all {
            for renaming in suspectedRenamings {
                refusals.append(
                    "\(renaming.name): added, while '\(renaming.old)' went; if it was renamed, say "
                        + "renamingIdentifier: \"\(renaming.old)\", originalName: in a class; if not, put \"\(renaming.name)\" "
                        + "into notRenamed of the migration policy")
            }
            refusals += unread.map { finding in
                "\(finding), so that its values would be lost; allow it with loss = .all of the migration policy"
            }
        }
        if policy.loss == .none {
            refusals += losses.map { change in
                "\(change.name): \(change.message), and \(change.loss ?? "") would be lost; allow it with "
                    + "loss = .declared of the migration policy"
            }
        }
        return refusals
    }

    private var suspectedRenamings: [SuspectedRenaming] {
        change.suspectedRenamings.filter { renaming in
            !policy.notRenamed.contains(renaming.name)
        }
    }

    /// Changes the store's model, whole or not at all.
    ///
    /// Opening a store with the new model does this by itself.
    ///
    /// - Returns: Where a copy of the store is kept as it was before; nil when none is.
    /// - Throws: `.notInferable` when something is refused; what
    ///   ``SchemaMigratingStore/migrate(_:)`` throws.
    @discardableResult
    public func execute() throws(StoreError) -> PersistentStoreDescription? {
        if isEmpty { return nil }
        try check()
        var description = store
        description.keepsHistory = false
        description.isToBeMigrated = true
        description.timeoutSeconds = max(store.timeoutSeconds, policy.timeoutSeconds)
        let opened = try description.type.open(description, model: change.source)
        do throws(StoreError) {
            guard opened.capabilities.contains(.schemaMigration),
                let migrating = opened as? any SchemaMigratingStore
            else {
                throw StoreError(
                    .unsupported,
                    "The store '\(location)' is of another version of the model, and stores of its type "
                        + "cannot be migrated; a type that conforms to SchemaMigratingStore can.")
            }
            let backup = try MigrationRunner(plan: self, store: migrating).run()
            try opened.close()
            return backup
        } catch {
            try? opened.close()
            throw error
        }
    }

    /// Whether a copy is kept of what was there before.
    var keepsBackup: Bool {
        switch policy.backup {
        case .never: false
        case .whenLossy:
            !suspectedRenamings.isEmpty || !unread.isEmpty
                || change.changes.contains(where: \.isSettledByLoss)
        case .always: true
        }
    }

    /// - Throws: `.notInferable` when something is refused, with all that is.
    func check() throws(StoreError) {
        let refusals = refusals
        if refusals.isEmpty { return }
        throw StoreError(
            .notInferable,
            "'\(location)' is of another version of the model, and these changes have to be settled first: "
                + "\(refusals.joined(separator: "; ")). Nothing was changed.")
    }
}

extension MigrationPlan: CustomStringConvertible {
    /// The plan for a person: a line for each change, then what is refused.
    public var description: String {
        var lines = [
            "\(location)  \(change.source.shortName) -> \(change.target.shortName)"
                + (isEmpty ? "  nothing to do" : "")
        ]
        for change in changes {
            var line = "  \(change)"
            if let loss = change.loss { line += "; LOSS: \(loss)" }
            lines.append(line)
        }
        let refusals = refusals
        if !refusals.isEmpty {
            lines.append("refused:")
            lines += refusals.map { "  \($0)" }
        }
        return lines.joined(separator: "\n")
    }
}

extension ManagedObjectModel {
    /// What the application calls the version, or the beginning of its checksum.
    package var shortName: String {
        versionIdentifiers.isEmpty
            ? String(versionChecksum.prefix(8)) : versionIdentifiers.joined(separator: ", ")
    }
}
