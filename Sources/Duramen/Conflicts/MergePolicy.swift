import DuramenModel

/// A rule that settles save conflicts: another save changed the same objects, or took the same
/// unique values, first.
///
/// In the tables, "here" is an edit of this context since it loaded the object. "There" is a change
/// that another save made meanwhile.
///
/// | policy | changed on both sides | only here | only there |
/// |---|---|---|---|
/// | ``error`` | the save throws | it throws | it throws |
/// | ``mergeByPropertyStoreTrump`` | stored value | own value | stored value |
/// | ``mergeByPropertyObjectTrump`` | own value | own value | stored value |
/// | ``fill`` | own value, unless it is nil | own value | stored value |
/// | ``overwrite`` | own value | own value | own value, as loaded |
/// | ``rollback`` | stored value | stored value | stored value |
///
/// | policy | deleted there, changed here | changed there, deleted here |
/// |---|---|---|
/// | ``error`` | the save throws | the save throws |
/// | ``mergeByPropertyStoreTrump``, ``rollback`` | deleted here too | the deletion is reverted |
/// | ``mergeByPropertyObjectTrump``, ``fill``, ``overwrite`` | inserted again | deleted |
///
/// Objects that were deleted on both sides are deleted under every policy but ``error``. The second
/// table and the rules below are this library's own decisions.
///
/// - Conflicts are detected by row version. A row holds an object's attributes and to-ones. Each
///   element of a composite is a property of its own.
/// - A to-many whose inverse is a to-one is stored in the rows of its members, so their conflicts
///   decide. Additions and removals of both sides are combined, also for a many-to-many. If the
///   object itself has a conflict, ``overwrite`` restores the pairs that were loaded here and
///   removes others; ``rollback`` discards its pair edits.
/// - An order is merged from both sides. A member that both sides moved takes the stored position
///   under ``mergeByPropertyStoreTrump`` and ``rollback``, and otherwise the position given here.
/// - An object that is inserted again keeps its ID. Pairs and references that its deletion removed
///   are not restored, nor are objects deleted together with it.
/// - Reverting a deletion also reverts everything that its delete rules did.
/// - A new reference here may refer to an object that was deleted there. The object is inserted
///   again if own values win and its values are known; otherwise its delete rules are applied.
///
/// Objects with the same unique values merge into one object under every policy but ``error``:
///
/// - New and stored object: the stored ID survives and references follow. The application's object
///   stays in use, and its old ID remains valid. ``mergeByPropertyObjectTrump`` and ``overwrite``
///   write its values to the stored row, nil included. ``fill`` writes values that are neither nil
///   nor the attribute's default. ``mergeByPropertyStoreTrump`` writes none. ``rollback`` discards
///   the new object, and references to it refer to the stored one.
/// - Two new objects: the later one survives where own values win, otherwise the earlier one.
/// - Two stored objects: if own values win, the other object merges into the one that took its
///   value, and is deleted. Otherwise the object that took the value returns it under
///   ``mergeByPropertyStoreTrump``, and loses all edits under ``rollback``.
///
/// ``ManagedObjectContext/replacedObjectIDs`` lists the replaced IDs.
///
/// Settled conflicts stay settled if the save fails afterwards.
public struct MergePolicy: Sendable {
    indirect enum Choice: Sendable {
        case error
        case rule(MergeRule)
        case custom(@Sendable (SaveConflict) throws -> ConflictResolution)
        case perEntity([StoredText: MergePolicy], default: MergePolicy)
    }

    let choice: Choice

    /// Does not settle conflicts: the save throws ``SaveConflictError`` with all of them, and
    /// nothing is written. This is the default.
    public static let error = MergePolicy(choice: .error)

    /// Merges by property; where both sides changed a property, the stored value wins.
    public static let mergeByPropertyStoreTrump = MergePolicy(choice: .rule(.storeTrump))

    /// Merges by property; where both sides changed a property, the own value wins.
    public static let mergeByPropertyObjectTrump = MergePolicy(choice: .rule(.objectTrump))

    /// Works like ``mergeByPropertyObjectTrump``, but nil never replaces a value that another save
    /// stored. A new object that merges into a stored one erases nothing.
    ///
    /// A value of a new object counts as not given if it is nil or equals the attribute's default.
    public static let fill = MergePolicy(choice: .rule(.fill))

    /// Saves the object as it is here; changes of other saves to it are lost.
    public static let overwrite = MergePolicy(choice: .rule(.overwrite))

    /// Discards the object's changes; it gets its stored values.
    public static let rollback = MergePolicy(choice: .rule(.rollback))

    /// Calls a closure for each conflict; see ``ConflictResolution``.
    ///
    /// ```swift
    /// // Both sides counted: add up what was counted here and there.
    /// .custom { conflict in
    ///     guard let base = conflict.base?[\Counter.count],
    ///         let mine = conflict.mine?[\Counter.count],
    ///         let stored = conflict.stored?[\Counter.count]
    ///     else { return .fail }
    ///     return .policy(.mergeByPropertyObjectTrump)
    ///         .setting(\Counter.count, to: stored + mine - base)
    /// }
    /// ```
    /// If the closure throws, the save throws the same error and changes nothing.
    public static func custom(
        _ resolve: @escaping @Sendable (SaveConflict) throws -> ConflictResolution
    ) -> MergePolicy {
        MergePolicy(choice: .custom(resolve))
    }

    /// Uses the policy of the object's entity, or of its nearest ancestor with a policy.
    public static func perEntity(
        _ policies: [String: MergePolicy], default other: MergePolicy = .error
    ) -> MergePolicy {
        var named: [StoredText: MergePolicy] = [:]
        for (name, policy) in policies { named[StoredText(name)] = policy }
        return MergePolicy(choice: .perEntity(named, default: other))
    }
}

extension MergePolicy: CustomStringConvertible {
    /// The policy's name.
    public var description: String {
        switch choice {
        case .error: "error"
        case .rule(let rule): rule.rawValue
        case .custom: "custom"
        case .perEntity: "perEntity"
        }
    }
}

/// The built-in rules that settle conflicts.
enum MergeRule: String, Sendable {
    case storeTrump = "mergeByPropertyStoreTrump"
    case objectTrump = "mergeByPropertyObjectTrump"
    case fill, overwrite, rollback

    /// Whether the context's side wins where values cannot be merged.
    var prefersObject: Bool {
        switch self {
        case .objectTrump, .fill, .overwrite: true
        case .storeTrump, .rollback: false
        }
    }

    /// Whether edits of many-to-many pairs are kept.
    var keepsPairs: Bool { self != .rollback }
}

extension MergePolicy {
    /// How deeply closures may return policies with closures.
    private static let depthLimit = 8

    /// Returns the decision about a conflict; nil leaves it to the application.
    func decision(
        for conflict: MetConflict, in model: ManagedObjectModel, depth: Int = 0
    ) throws -> MergeDecision? {
        switch choice {
        case .error: return nil
        case .rule(let rule): return MergeDecision(rule: rule)
        case .perEntity(let policies, let other):
            var entity = model.entity(of: conflict.objectID)
            while let current = entity {
                if let policy = policies[StoredText(current.name)] {
                    return try policy.decision(for: conflict, in: model, depth: depth)
                }
                entity = current.superentity.map { model[$0] }
            }
            return try other.decision(for: conflict, in: model, depth: depth)
        case .custom(let resolve):
            guard depth < Self.depthLimit else { return nil }
            let resolution = try resolve(conflict.saveConflict)
            guard
                var decision = try resolution.policy.decision(
                    for: conflict, in: model, depth: depth + 1)
            else { return nil }
            decision.values.merge(resolution.values) { _, new in new }
            return decision
        }
    }
}

/// The decision of a policy about one conflict.
struct MergeDecision {
    let rule: MergeRule
    /// Values to set on the object afterwards, by property.
    var values: [String: StoredValue] = [:]
}
