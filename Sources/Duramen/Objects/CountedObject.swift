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

    // Sound: the reference is counted.
    @inline(__always) private init(counted object: Unmanaged<ManagedObject>) {
        self.object = object
    }

    /// Counts a reference to a new object, which nobody has yet but its maker.
    ///
    /// No `init`, which would count a reference to what it is given.
    @inline(__always) static func unshared(_ object: ManagedObject) -> CountedObject {
        // Sound: objects are no `Sendable`, so before it is handed out no other thread can reach it.
        let object = Unmanaged.passUnretained(object)
        duramen_retain_unshared(object.toOpaque())
        return CountedObject(counted: object)
    }

    /// Takes the reference.
    @inline(__always) func taken() -> ManagedObject { object.takeRetainedValue() }

    /// Takes the reference of an object of a class that was checked.
    @inlinable func taken<Object: ManagedObject>(as type: Object.Type) -> Object {
        // Sound: as the caller says.
        Unmanaged<Object>.fromOpaque(object.toOpaque()).takeRetainedValue()
    }
}
