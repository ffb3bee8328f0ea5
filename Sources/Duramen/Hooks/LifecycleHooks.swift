/// The hooks of a ``ManagedObject`` that a class overrides.
public struct LifecycleHooks: OptionSet, Sendable {
    /// One bit for each hook.
    public let rawValue: UInt16

    /// Creates a set of hooks.
    public init(rawValue: UInt16) { self.rawValue = rawValue }

    /// ``ManagedObject/awakeFromInsert()``.
    public static let awakeFromInsert = LifecycleHooks(rawValue: 1 << 0)
    /// ``ManagedObject/awakeFromFetch()``.
    public static let awakeFromFetch = LifecycleHooks(rawValue: 1 << 1)
    /// ``ManagedObject/awake(fromSnapshotEvents:)``.
    public static let awakeFromSnapshotEvents = LifecycleHooks(rawValue: 1 << 2)
    /// ``ManagedObject/prepareForDeletion()``.
    public static let prepareForDeletion = LifecycleHooks(rawValue: 1 << 3)
    /// ``ManagedObject/willSave()``.
    public static let willSave = LifecycleHooks(rawValue: 1 << 4)
    /// ``ManagedObject/didSave()``.
    public static let didSave = LifecycleHooks(rawValue: 1 << 5)
    /// ``ManagedObject/willTurnIntoFault()`` and ``ManagedObject/didTurnIntoFault()``.
    public static let turnIntoFault = LifecycleHooks(rawValue: 1 << 6)
    /// ``ManagedObject/validateForInsert()``.
    public static let validateForInsert = LifecycleHooks(rawValue: 1 << 7)
    /// ``ManagedObject/validateForUpdate()``.
    public static let validateForUpdate = LifecycleHooks(rawValue: 1 << 8)
    /// ``ManagedObject/validateForDelete()``.
    public static let validateForDelete = LifecycleHooks(rawValue: 1 << 9)

    /// Every hook.
    public static let all = LifecycleHooks(rawValue: (1 << 10) - 1)

    static let validation: LifecycleHooks = [
        .validateForInsert, .validateForUpdate, .validateForDelete,
    ]
}

/// The reason why the values of an object were replaced.
public struct SnapshotEvents: OptionSet, Sendable, Hashable {
    /// One bit for each event.
    public let rawValue: UInt8

    /// Creates a set of events.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// An insertion was undone.
    public static let undoInsertion = SnapshotEvents(rawValue: 1 << 0)
    /// A deletion was undone.
    public static let undoDeletion = SnapshotEvents(rawValue: 1 << 1)
    /// An update was undone.
    public static let undoUpdate = SnapshotEvents(rawValue: 1 << 2)
    /// The context was rolled back.
    public static let rollback = SnapshotEvents(rawValue: 1 << 3)
    /// The object was refreshed, or a save of another context was merged into it.
    public static let refresh = SnapshotEvents(rawValue: 1 << 4)
    /// A merge policy resolved a conflict.
    public static let mergePolicy = SnapshotEvents(rawValue: 1 << 5)
}
