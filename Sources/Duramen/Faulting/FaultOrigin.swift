import DuramenModel

/// How a fault was created, which determines the group that is loaded with it.
enum FaultOrigin: Equatable {
    /// Alone, without a known group. Loaded objects return to this case.
    case alone
    /// By following a to-one in a slot of the rows of ``ManagedObject/storage``.
    case toOne(slot: Int)
    /// Together with others. ``ManagedObject/storage`` has a row for each of them, with only its
    /// key or some of its values.
    case group
}

extension ManagedObject {
    /// How the object was created, if it is a fault.
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
