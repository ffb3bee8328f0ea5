import DuramenModel

/// How a fault came to be, which says who is read together with it.
enum FaultOrigin: Equatable {
    /// By itself: nobody is known to belong to it. Objects that have their values begin so again.
    case alone
    /// A to-one led to it, from the rows of ``ManagedObject/storage``, in which it has a slot.
    case toOne(slot: Int)
    /// It was made with others. ``ManagedObject/storage`` has a row for each of them, of nothing
    /// but its key, or of some of its values.
    case group
}

extension ManagedObject {
    /// How the object came to be, if it is a fault.
    @inline(__always)
    final var origin: FaultOrigin {
        get {
            switch originCode {
            case .max: .alone
            case .max - 1: .group
            default: .toOne(slot: Int(originCode))
            }
        }
        set {
            originCode =
                switch newValue {
                case .alone: .max
                case .group: .max - 1
                case .toOne(let slot): UInt16(truncatingIfNeeded: slot)
                }
        }
    }
}
