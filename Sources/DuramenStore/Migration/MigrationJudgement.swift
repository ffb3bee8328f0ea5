import DuramenModel

/// Decides by a policy whether a change of the model is allowed.
struct MigrationJudgement: Sendable {
    let change: SchemaChange
    let policy: MigrationPolicy
    /// The findings about properties of the new model that cannot be read in the store's own model:
    /// their values would be lost.
    let unread: [StoredModelFinding]

    init(
        _ change: SchemaChange, _ policy: MigrationPolicy, of source: StoredModel? = nil
    ) {
        self.change = change
        self.policy = policy
        unread = (source?.findings ?? []).filter { finding in
            guard let name = finding.property,
                let old = change.source.entity(named: finding.entity),
                old.property(named: name) == nil, let new = change.targetEntity(old.id)
            else { return false }
            return change.target[new].property(named: name) != nil
        }
    }

    /// The changes that affect stores.
    var changes: [ModelChange] { change.changes.filter { $0.effect != .none } }

    /// The changes that lose data.
    var losses: [ModelChange] { changes.filter { $0.loss != nil } }

    /// The reasons against the change, each with its remedy; empty if the change is allowed.
    var refusals: [String] {
        let renamings = suspectedRenamings
        let renamed = Set(renamings.map { StoredText($0.name) })
        var refusals = change.unsettled.compactMap { change -> String? in
            if change.isAboutMissingValue {
                // If it was renamed, it has values.
                if renamed.contains(StoredText(change.name)) { return nil }
                return
                    "\(change) (give it a default value, or set fills[\"\(change.name)\"] of the migration policy)"
            }
            guard change.isSettledByLoss else { return change.description }
            return policy.loss == .all
                ? nil
                : "\(change) (to lose its destinations, set loss = .all in the migration policy)"
        }
        if policy.loss != .all {
            for renaming in renamings {
                let isEntity = !renaming.name.contains(".")
                let declaration =
                    isEntity
                    ? "@Managed(renamedFrom: \"\(renaming.old)\")"
                    : "originalName: \"\(renaming.old)\" into its @Attribute or @Relationship"
                refusals.append(
                    "\(renaming.name): added, while '\(renaming.old)' was removed. If it was renamed, write "
                        + "\(declaration), or renamingIdentifier: \"\(renaming.old)\" in its description. If not, "
                        + "add \"\(renaming.name)\" to notRenamed of the migration policy")
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

    /// Whether data may be lost that the new model does not obviously remove.
    var isLossy: Bool {
        !suspectedRenamings.isEmpty || !unread.isEmpty
            || change.changes.contains(where: \.isSettledByLoss)
    }

    private var suspectedRenamings: [SuspectedRenaming] {
        change.suspectedRenamings.filter { renaming in
            !policy.notRenamed.contains(renaming.name)
        }
    }
}
