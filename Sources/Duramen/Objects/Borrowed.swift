/// A reference to an object that is retained elsewhere; it does no reference counting.
///
/// Each use has a comment that names what retains the object meanwhile. That is the whole proof;
/// nothing else about the object is assumed.
@usableFromInline struct Borrowed<Object: AnyObject> {
    // Sound: see the type.
    @usableFromInline let reference: Unmanaged<Object>

    @inline(__always) @usableFromInline
    init(_ object: Object) { reference = .passUnretained(object) }

    /// Creates a borrowed reference from one that is counted elsewhere.
    // Sound: the counted reference keeps the object.
    @inline(__always) @usableFromInline
    init(_ reference: Unmanaged<Object>) { self.reference = reference }

    /// Runs a step with the object.
    @inline(__always) @usableFromInline
    func with<Result>(_ body: (Object) throws -> Result) rethrows -> Result {
        // Sound: the object is kept for as long as the borrowing, and longer than this call.
        try reference._withUnsafeGuaranteedRef(body)
    }

    /// The object, as a counted reference.
    @inline(__always) var object: Object { reference.takeUnretainedValue() }
}
