/// An object with one reference that is counted for whoever takes it, so that handing it on counts
/// none.
///
/// It is taken exactly once.
@usableFromInline struct CountedObject {
    // Sound: it owns one reference until it is taken.
    @usableFromInline let object: Unmanaged<ManagedObject>

    /// Counts a reference.
    @inline(__always) init(_ object: consuming ManagedObject) {
        self.object = .passRetained(object)
    }

    /// Takes the reference.
    @inline(__always) func taken() -> ManagedObject { object.takeRetainedValue() }

    /// Takes the reference of an object of a class that was checked.
    @inlinable func taken<Object: ManagedObject>(as type: Object.Type) -> Object {
        // Sound: as the caller says.
        Unmanaged<Object>.fromOpaque(object.toOpaque()).takeRetainedValue()
    }
}
