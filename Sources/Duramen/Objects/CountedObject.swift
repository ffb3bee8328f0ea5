/// An object with one retained reference for its receiver, so that passing it on does no reference
/// counting.
///
/// The reference must be taken exactly once.
@usableFromInline struct CountedObject {
    // Sound: it owns one reference until it is taken.
    @usableFromInline let object: Unmanaged<ManagedObject>

    /// Retains the object.
    @inline(__always) init(_ object: consuming ManagedObject) {
        self.object = .passRetained(object)
    }

    /// Takes the reference.
    @inline(__always) func taken() -> ManagedObject { object.takeRetainedValue() }

    /// Takes the reference of an object whose class was checked.
    @inlinable func taken<Object: ManagedObject>(as type: Object.Type) -> Object {
        // Sound: as the caller says.
        Unmanaged<Object>.fromOpaque(object.toOpaque()).takeRetainedValue()
    }
}
