import CSwiftRuntime

/// An object with one reference that is counted for whoever takes it, so that handing it on counts none.
///
/// It is taken exactly once.
@usableFromInline struct CountedObject {
    // Sound: it owns one reference until it is taken.
    @usableFromInline let object: Unmanaged<ManagedObject>

    /// Counts a reference.
    @inline(__always) init(_ object: consuming ManagedObject) {
        self.object = .passRetained(object)
    }

    /// Counts a reference to a new object, which nobody has yet but its maker.
    @inline(__always) init(unshared object: ManagedObject) {
        // Sound: objects are no `Sendable`, so before it is handed out no other thread can reach it.
        self.object = .passUnretained(object)
        _ = swift_nonatomic_retain(self.object.toOpaque())
    }

    /// Takes the reference.
    @inline(__always) func taken() -> ManagedObject { object.takeRetainedValue() }

    /// Takes the reference of an object of a class that was checked.
    @inlinable func taken<Object: ManagedObject>(as type: Object.Type) -> Object {
        // Sound: as the caller says.
        Unmanaged<Object>.fromOpaque(object.toOpaque()).takeRetainedValue()
    }
}
