import DuramenModel
import Observation

/// What only some objects carry: the base of their edits, their to-manys, what went wrong.
final class ObjectExtra {
    /// The plan of the object, which has no room for both.
    @exclusivity(unchecked) var plan: EntityPlan {
        didSet { borrowedPlan = Borrowed(plan) }
    }
    /// The same, for steps that count no references.
    // Sound: `plan` keeps it.
    @exclusivity(unchecked) private(set) var borrowedPlan: Borrowed<EntityPlan>
    /// The row that the edits are based on; nil for new and for unchanged objects.
    var base: Row?
    /// What somebody else saved meanwhile; taken over when the changes here are dropped.
    var meanwhile: StoredMeanwhile?
    /// By the index of the to-many; nil where nothing is known or changed.
    @exclusivity(unchecked) var toManys: [ToManyState?] = [] { didSet { editedState = nil } }
    /// That of ``toManys`` which was edited last, for edits that count no references.
    // Sound: as with `note(_:at:isAdded:)`.
    @exclusivity(unchecked)
    private var editedState: (index: Int, state: Borrowed<ToManyState>)?
    /// Of a fault, the values that a fetch of some properties read; nil for most.
    var partial: PartialValues?
    /// The values of transient attributes; nil when none was read or set yet.
    var transients: TransientValues?
    /// What fetched properties gave, by their names.
    var fetched: [StoredText: [ManagedObjectID]] = [:]
    /// Why a value could not be read.
    var faultError: (any Error)?
    /// Who observes the properties; nil when nobody ever did.
    var registrar: ObservationRegistrar?

    init(plan: EntityPlan) {
        self.plan = plan
        borrowedPlan = Borrowed(plan)
    }

    /// Notes an edit of a to-many.
    ///
    /// - Returns: Whether it is the first of that to-many since the last save.
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
    /// As they are.
    var current: [Int: Any]
    /// As they were at the last save.
    var saved: [Int: Any]
    /// Those that were set since.
    var edited: Set<Int> = []

    init(_ values: [Int: Any] = [:]) {
        current = values
        saved = values
    }
}

/// What became of an object in the store while it was changed here.
enum StoredMeanwhile {
    case changed(Row)
    case deleted
}
