public import DuramenModel

/// A plan for a migration: its effects on a store, computed before anything is changed.
///
/// ```swift
/// let plan = try MigrationPlanner(model: model).plan(for: .sqlite("library.sqlite"))
/// print(plan)
/// ```
/// Refusals depend only on the two models, so you see them in the first test. Some changes are
/// possible only if the stored values allow it. The migration checks the values first, and changes
/// nothing if they do not fit.
public struct MigrationPlan: Sendable {
    /// The changes, in their order; empty if there is nothing to do.
    public let hops: [MigrationHop]
    /// The model that the store keeps.
    public let source: ManagedObjectModel
    /// The model after the migration.
    public let target: ManagedObjectModel
    /// The changes that the migration may make.
    public internal(set) var policy: MigrationPolicy
    /// The store to migrate.
    public internal(set) var store: PersistentStoreDescription

    /// Plans the migration of a store from the model that it keeps to another version.
    ///
    /// - Throws: `.unknownVersion`, `.modelReferenceNotFound`, `.invalidStages`, `.storeIsNewer`
    ///   when the stages of the description do not connect the two versions.
    init(
        for store: PersistentStoreDescription, from source: StoredModel,
        to target: ManagedObjectModel, _ policy: MigrationPolicy
    ) throws(StoreError) {
        self.source = source.model
        self.target = target
        self.policy = policy
        self.store = store
        hops = try HopPlanner(source: source, target: target, policy: policy, store: store).hops()
    }

    /// Where the store is.
    public var location: String { store.location }

    /// Whether there is nothing to do.
    public var isEmpty: Bool { hops.isEmpty }

    /// The differences between stores of the two versions.
    public var changes: [ModelChange] { hops.flatMap(\.changes) }

    /// The changes that lose data.
    public var losses: [ModelChange] { hops.flatMap(\.losses) }

    /// The reasons why the migration is refused, each with its remedy; empty if it is allowed.
    public var refusals: [String] { hops.flatMap(\.refusals) }

    /// The inferred change, if the plan has only this change; nil if it works on a copy.
    package var inferred: SchemaChange? {
        hops.count == 1 && hops[0].stage == nil ? hops[0].change : nil
    }

    /// Migrates the store, whole or not at all.
    ///
    /// Opening a store with the new model also migrates it.
    ///
    /// - Returns: The backup of the store; nil when none is kept.
    /// - Throws: `.notInferable` when there are refusals; the errors of
    ///   ``SchemaMigratingStore/migrate(_:)``.
    @discardableResult
    public func execute() throws(StoreError) -> PersistentStoreDescription? {
        if isEmpty { return nil }
        try check()
        var description = store
        description.keepsHistory = false
        description.opening.isToBeMigrated = true
        description.timeoutSeconds = max(store.timeoutSeconds, policy.timeoutSeconds)
        let opened = try description.type.open(description, model: source)
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

    /// Whether the migration keeps a backup.
    var keepsBackup: Bool {
        switch policy.backup {
        case .never: false
        case .whenLossy: hops.contains(where: \.isLossy)
        case .always: true
        }
    }

    /// - Throws: `.notInferable` with all refusals, if there are any.
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
    /// The plan as text: a line for each change, then the refusals.
    public var description: String {
        var lines = [
            "\(location)  \(source.shortName) -> \(target.shortName)"
                + (isEmpty ? "  nothing to do" : "")
        ]
        for (place, hop) in hops.enumerated() {
            if hops.count > 1 || hop.stage != nil { lines.append("\(place + 1)  \(hop.title)") }
            lines += hop.lines.map { "  \($0)" }
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
    /// The application's name for the version, or the beginning of its checksum.
    package var shortName: String {
        versionIdentifiers.isEmpty
            ? String(versionChecksum.prefix(8)) : versionIdentifiers.joined(separator: ", ")
    }
}
