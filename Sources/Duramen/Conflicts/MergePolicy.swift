import DuramenModel

/// A rule that settles save conflicts: somebody else saved the same objects, or the same unique
/// values, first.
///
/// In the table, "here" is an edit of this context since it read the object, and "there" is what
/// somebody else saved meanwhile.
///
/// | policy | changed on both sides | only here | only there | deleted there, changed here | changed there, deleted here |
/// |---|---|---|---|---|---|
/// | ``error`` | the save throws | it throws | it throws | it throws | it throws |
/// | ``mergeByPropertyStoreTrump`` | stored value | own value | stored value | deleted here too | the deletion is dropped |
/// | ``mergeByPropertyObjectTrump`` | own value | own value | stored value | inserted again | deleted |
/// | ``fill`` | own value, unless it is nil | own value | stored value | inserted again | deleted |
/// | ``overwrite`` | own value | own value | own value, as it was read | inserted again | deleted |
/// | ``rollback`` | stored value | stored value | stored value | deleted here too | the deletion is dropped |
///
/// What was deleted on both sides is deleted under every policy but ``error``. The columns for
/// deletions, and what follows here, are this library's own decisions.
///
/// - A conflict is noticed by the version of a row, which holds the attributes and the to-ones of
///   an object. The elements of a composite are properties of their own.
/// - A to-many whose inverse is a to-one stands in the rows of its members: their conflicts decide,
///   and what both sides added and removed adds up. So do the pairs of a many-to-many. When the
///   object itself has a conflict, ``overwrite`` brings the pairs that were read here back and
///   takes others away, and ``rollback`` drops the edits of its pairs.
/// - An order is merged from both sides. A member that both sides moved stands where the store
///   wants it under ``mergeByPropertyStoreTrump`` and ``rollback``, and otherwise where it was
///   moved here.
/// - An object that is inserted again keeps its ID. Pairs and references to it that ended with its
///   deletion do not come back, nor does what was deleted together with it.
/// - A deletion that is dropped is undone with all that its delete rules did.
/// - An object that was deleted there may be the destination of a new reference here. It is
///   inserted again where own values win and its values are known; otherwise its delete rules are
///   applied.
///
/// Objects with the same unique values are one object to the model, and become one under every
/// policy but ``error``. A new object folds into the stored one, whose ID survives: the object
/// stays the one that the application has, references to it follow, and IDs taken before keep
/// leading to it. Its values land on the stored row under ``mergeByPropertyObjectTrump`` and
/// ``overwrite``, nils included; under ``fill`` those that are neither nil nor the attribute's
/// default; not at all under ``mergeByPropertyStoreTrump``. ``rollback`` drops the new object, and
/// what refers to it refers to the stored one. Of two new objects the later one survives where own
/// values win, and else the earlier one. A stored object that took a value of another stored one
/// gives it back under ``mergeByPropertyStoreTrump``, loses its edits under ``rollback``, and else
/// the other one folds into it and is deleted. ``ManagedObjectContext/replacedObjectIDs`` lists the
/// IDs that were given up.
///
/// What a policy settled stays settled when the save fails afterwards.
public struct MergePolicy: Sendable {
    indirect enum Choice: Sendable {
        case error
        case rule(MergeRule)
        case custom(@Sendable (SaveConflict) throws -> ConflictResolution)
        case perEntity([StoredText: MergePolicy], default: MergePolicy)
    }

    let choice: Choice

    /// The save throws ``SaveConflictError`` with all conflicts, and nothing is written. The
    /// default.
    public static let error = MergePolicy(choice: .error)

    /// Property by property; where both sides changed one, the stored value is kept.
    public static let mergeByPropertyStoreTrump = MergePolicy(choice: .rule(.storeTrump))

    /// Property by property; where both sides changed one, the own value is saved.
    public static let mergeByPropertyObjectTrump = MergePolicy(choice: .rule(.objectTrump))

    /// Works as ``mergeByPropertyObjectTrump``, but nil never replaces a value that somebody else
    /// saved. A new object that is merged into a stored one erases nothing.
    ///
    /// A value of a new object counts as never given while it is nil or equals the attribute's
    /// default.
    public static let fill = MergePolicy(choice: .rule(.fill))

    /// The object is saved as it is here; what somebody else changed in it is lost.
    public static let overwrite = MergePolicy(choice: .rule(.overwrite))

    /// The changes of the object are dropped; it takes its stored values.
    public static let rollback = MergePolicy(choice: .rule(.rollback))

    /// Asks a closure for each conflict; see ``ConflictResolution``.
    ///
    /// ```swift
    /// // Both sides counted: add up what was counted here and there.
    /// .custom { conflict in
    ///     guard let base = conflict.base?[\Counter.count], let mine = conflict.mine?[\Counter.count],
    ///         let stored = conflict.stored?[\Counter.count]
    ///     else { return .fail }
    ///     return .policy(.mergeByPropertyObjectTrump).setting(\Counter.count, to: stored + mine - base)
    /// }
    /// ```
    /// An error that the closure throws is thrown by the save, which then changed nothing.
    public static func custom(
        _ resolve: @escaping @Sendable (SaveConflict) throws -> ConflictResolution
    ) -> MergePolicy {
        MergePolicy(choice: .custom(resolve))
    }

    /// Takes the policy of the object's entity, or of its nearest ancestor that is named.
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

/// What the built-in policies that settle conflicts do.
enum MergeRule: String, Sendable {
    case storeTrump = "mergeByPropertyStoreTrump"
    case objectTrump = "mergeByPropertyObjectTrump"
    case fill, overwrite, rollback

    /// Whether the side of the context wins where there is no way between.
    var prefersObject: Bool {
        switch self {
        case .objectTrump, .fill, .overwrite: true
        case .storeTrump, .rollback: false
        }
    }

    /// Whether edits of pairs are kept.
    var keepsPairs: Bool { self != .rollback }
}

extension MergePolicy {
    /// How often a closure may name another policy with a closure.
    private static let depthLimit = 8

    /// What to do about a conflict; nil to leave it to the application.
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

/// What a policy decided about one conflict.
struct MergeDecision {
    let rule: MergeRule
    /// Values that the object gets in the end, by property.
    var values: [String: StoredValue] = [:]
}
