import DuramenModel

extension ManagedObject {
    /// Loads the object's values if it is a fault.
    ///
    /// - Throws: ``ContextError`` `.objectNotFound` if the object is gone, or the store's error.
    public final func load() throws {
        guard words == nil else { return }
        let part = plan.handle.part(for: self)
        part.requireOwner(for: self)
        try part.fulfill(self)
    }

    /// Returns the value of a property; throws errors that the accessor would keep for the next
    /// save.
    public final func value<Root: ManagedObject, Value>(
        _ keyPath: KeyPath<Root, Value>
    ) throws -> Value {
        guard let root = self as? Root else {
            throw ContextError(
                .invalidRequest, "The key path \(keyPath) is not one of \(type(of: self)).",
                objectID: objectID)
        }
        // A property that was fetched alone can be read without loading the others.
        let property = Self.propertyName(for: keyPath).flatMap(entity.property)
        if property.flatMap(partialRow) == nil { try load() }
        return try throwingFaults { root[keyPath: keyPath] }
    }

    /// Runs an accessor, and throws the error that it would keep for the next save.
    final func throwingFaults<Value>(_ access: () -> Value) throws -> Value {
        // An earlier error is kept, and a new one is thrown even if it is equal.
        let before = extra?.faultError
        extra?.faultError = nil
        defer { if let before, extra?.faultError == nil { ensureExtra().faultError = before } }
        let value = access()
        if let error = extra?.faultError { throw error }
        return value
    }

    /// Loads the values; an error is kept, because accessors cannot throw.
    ///
    /// - Parameters:
    ///   - slot: The property that is read; nil for the object as a whole.
    ///   - mayBeMissing: Whether the row may be missing, which is then not reported.
    final func fireFault(reading slot: Int? = nil, mayBeMissing: Bool = false) {
        guard words == nil else { return }
        let part = plan.handle.part(for: self)
        part.requireOwner(for: self)
        do {
            try part.fulfill(self, reading: slot)
        } catch {
            if part.roundTrips?.keepsForbidden(error, self, in: part) == true { return }
            if part.deletesInaccessible(self, error) { return }
            let isMissing = (error as? ContextError)?.code == .objectNotFound
            if isMissing, mayBeMissing { return }
            if isMissing, slot != nil, mayBeLeftOver {
                ensureExtra().faultError = error
                part.context.onFaultFailure?(self, error)
                return
            }
            report(faultError: error)
        }
    }

    /// Whether a `noAction` rule may have left references to this missing object. The next save
    /// does not fail because such a reference was followed.
    private final var mayBeLeftOver: Bool {
        entity.relationships.contains { relationship in
            relationship.deleteRule == .noAction
                && !plan.handle.model[relationship.inverse].isToMany
        }
    }

    /// Gives a fault, or an unchanged object, the values of a stored row.
    @inline(__always) final func realize(storage: RowStorage, words: UnsafeMutableRawPointer) {
        recordWriteToIndexed()
        tellingReplacement(by: Row(storage, unsafeWords: words)) {
            self.storage = storage
            self.words = words
            origin = .alone
            withExtra { $0.partial = nil }
        }
    }

    /// Turns the object into a fault and discards its edits. Edits of its to-manys by other objects
    /// stay.
    final func turnIntoFault() {
        if words != nil, overrides(.turnIntoFault) {
            willTurnIntoFault()
            tellingReplacement(by: nil) { forgetValues() }
            didTurnIntoFault()
        } else {
            tellingReplacement(by: nil) { forgetValues() }
        }
    }

    private final func forgetValues() {
        words = nil
        storage = nil
        origin = .alone
        if flags.contains(.updated) { plan.handle.livePart?.tracker.takeBackUpdate(of: self) }
        flags.remove(.writable)
        guard let toManys = extra?.toManys else { return }
        let observers = extra?.observers
        removeExtra()
        if let observers { ensureExtra().observers = observers }
        toManys.forEach { $0?.forgetArrangement() }
        if toManys.contains(where: { $0?.hasEdits ?? false }) {
            toManys.forEach { $0?.forgetStored() }
            ensureExtra().toManys = toManys
        }
    }

    /// The slots in which the present values differ from the base of the edits.
    final var editedSlots: SlotSet {
        guard let base = extra?.base, let row else { return SlotSet() }
        return row.differingSlots(from: base, plan.entity.layout)
    }
}
