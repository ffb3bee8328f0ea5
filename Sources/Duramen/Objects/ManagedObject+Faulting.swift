import DuramenModel

extension ManagedObject {
    /// Reads the object's values if it is a fault.
    ///
    /// - Throws: ``ContextError`` `.objectNotFound` when the object is gone, or the store's error.
    public final func load() throws {
        guard words == nil else { return }
        let part = plan.handle.part(for: self)
        part.requireOwner(for: self)
        try part.fulfill(self)
    }

    /// Reads one property, throwing what the plain accessor keeps for the next save.
    public final func value<Root: ManagedObject, Value>(
        _ keyPath: KeyPath<Root, Value>
    ) throws -> Value {
        guard let root = self as? Root else {
            throw ContextError(
                .invalidRequest, "The key path \(keyPath) is not one of \(type(of: self)).",
                objectID: objectID)
        }
        // One of the properties that were fetched is there without the others.
        let property = Self.propertyName(for: keyPath).flatMap(entity.property)
        if property.flatMap(partialRow) == nil { try load() }
        return try throwingFaults { root[keyPath: keyPath] }
    }

    /// Runs a plain access, and throws what it keeps for the next save.
    final func throwingFaults<Value>(_ access: () -> Value) throws -> Value {
        // What went wrong before is kept, and what goes wrong now is thrown even when it is the
        // same.
        let before = extra?.faultError
        extra?.faultError = nil
        defer { if let before, extra?.faultError == nil { ensureExtra().faultError = before } }
        let value = access()
        if let error = extra?.faultError { throw error }
        return value
    }

    /// Reads the values; a failure is kept, because accessors cannot throw.
    ///
    /// - Parameter slot: The property that is read; nil for the object as a whole.
    final func fireFault(reading slot: Int? = nil) {
        guard words == nil else { return }
        let part = plan.handle.part(for: self)
        part.requireOwner(for: self)
        do {
            try part.fulfill(self, reading: slot)
        } catch {
            if part.roundTrips?.keepsForbidden(error, self, in: part) == true { return }
            if part.deletesInaccessible(self, error) { return }
            if slot != nil, mayBeLeftOver, (error as? ContextError)?.code == .objectNotFound {
                ensureExtra().faultError = error
                part.context.onFaultFailure?(self, error)
                return
            }
            report(faultError: error)
        }
    }

    /// Whether a `noAction` rule may have left references to this object, which is not in the
    /// store. The next save does not fail because such a reference was read.
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

    /// Makes the object a fault again; its edits are lost. Edits of to-manys that others hold stay.
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
        let registrar = extra?.registrar
        removeExtra()
        if let registrar { ensureExtra().registrar = registrar }
        toManys.forEach { $0?.forgetArrangement() }
        if toManys.contains(where: { $0?.hasEdits ?? false }) {
            toManys.forEach { $0?.forgetStored() }
            ensureExtra().toManys = toManys
        }
    }

    /// The slots in which the current values differ from those that the edits are based on.
    final var editedSlots: SlotSet {
        guard let base = extra?.base, let row else { return SlotSet() }
        return row.differingSlots(from: base, plan.entity.layout)
    }
}

extension Row {
    /// The slots in which two rows of one layout have different values.
    @inline(__always)
    func differingSlots(from other: Row, _ layout: RowLayout) -> SlotSet {
        var slots = SlotSet()
        let kinds = layout.kinds
        for slot in kinds.indices where !hasSameValue(slot, kinds[slot], as: other) {
            slots.insert(slot)
        }
        return slots
    }
}
