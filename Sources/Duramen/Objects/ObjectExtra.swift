import DuramenModel

/// Additional state that only some objects have: the base of their edits, their to-manys, errors.
final class ObjectExtra {
    /// The plan of the object, which has room for only one of both references.
    @exclusivity(unchecked) var plan: EntityPlan {
        didSet { borrowedPlan = Borrowed(plan) }
    }
    /// The plan, for steps without reference counting.
    // Sound: `plan` keeps it.
    @exclusivity(unchecked) private(set) var borrowedPlan: Borrowed<EntityPlan>
    /// The row that the edits are based on; nil for new and for unchanged objects.
    var base: Row?
    /// Another save of the object meanwhile; merged when the changes here are discarded.
    var meanwhile: StoredMeanwhile?
    /// The to-manys by index; nil if nothing is loaded or changed.
    @exclusivity(unchecked) var toManys: [ToManyState?] = [] { didSet { editedState = nil } }
    /// The last edited element of ``toManys``, for edits without reference counting.
    // Sound: as with `record(_:at:isAdded:)`.
    @exclusivity(unchecked)
    private var editedState: (index: Int, state: Borrowed<ToManyState>)?
    /// For a fault, the values that a fetch of some properties loaded; nil for most.
    var partial: PartialValues?
    /// The values of transient attributes; nil if none was read or set yet.
    var transients: TransientValues?
    /// The results of fetched properties, by name.
    var fetched: [StoredText: [ManagedObjectID]] = [:]
    /// The error of a value that could not be loaded or set.
    var faultError: (any Error)?
    /// The observers of the object; nil if no read was reported yet.
    var observers: ObjectObservers? {
        didSet { borrowedObservers = observers.map { Borrowed($0) } }
    }
    /// The observers, for reads without reference counting.
    // Sound: `observers` keeps them.
    @exclusivity(unchecked) private(set) var borrowedObservers: Borrowed<ObjectObservers>?

    init(plan: EntityPlan) {
        self.plan = plan
        borrowedPlan = Borrowed(plan)
    }

    /// Records an edit of a to-many.
    ///
    /// - Returns: Whether it is the first edit of the to-many since the last save.
    @inline(__always)
    func record(_ id: ManagedObjectID, at index: Int, isAdded: Bool) -> Bool {
        if editedState?.index != index {
            editedState = (index, Borrowed(state(at: index)))
        }
        // Sound: `toManys` keeps the state, and `editedState` is forgotten when that changes.
        return editedState.unsafelyUnwrapped.state.with { state in
            defer { state.record(id, isAdded: isAdded) }
            return !state.hasEdits
        }
    }

    func state(at index: Int) -> ToManyState {
        if toManys.isEmpty { toManys = Array(repeating: nil, count: plan.toManys.count) }
        if let state = toManys[index] { return state }
        let state = ToManyState(isOrdered: plan.toManys[index].isOrdered)
        toManys[index] = state
        return state
    }
}

/// The values of an object's transient attributes, by index.
final class TransientValues {
    /// The present values.
    var current: [Int: Any]
    /// The values at the last save.
    var saved: [Int: Any]
    /// The values that were set since.
    var edited: Set<Int> = []

    init(_ values: [Int: Any] = [:]) {
        current = values
        saved = values
    }
}

/// Another save of an object while it was changed here.
enum StoredMeanwhile {
    case changed(Row)
    case deleted
}
