import DuramenModel

// What the accessors that `@Managed` generates call. Slots are numbered as RowLayout says.
extension ManagedObject {
    /// Reads an attribute, firing the fault when there is one.
    ///
    /// A getter cannot throw: when reading fails, the result is the declared default or the type's
    /// zero value, ``faultError`` says why, and the context's next save throws it. ``load()``
    /// throws at once.
    @inlinable @inline(__always)
    public final func attribute<Value: AttributeValue>(
        at slot: Int, _ type: Value.Type = Value.self
    ) -> Value {
        if flags.contains(.observed) { tellRead(slot) }
        if let words {
            return Value.read(from: AttributeReader(words: words, object: self, slot: slot))
        }
        return attributeOfFault(slot)
    }

    /// Reads an optional attribute; see ``attribute(at:_:)``.
    @inlinable @inline(__always)
    public final func attribute<Value: AttributeValue>(
        at slot: Int, _ type: Value.Type = Value.self
    ) -> Value? {
        if flags.contains(.observed) { tellRead(slot) }
        guard let words = words ?? wordsOfFault(slot) else { return nil }
        let reader = AttributeReader(words: words, object: self, slot: slot)
        return reader.isNull ? nil : Value.read(from: reader)
    }

    /// Changes an attribute.
    @inlinable @inline(__always)
    public final func setAttribute<Value: AttributeValue>(_ value: Value, at slot: Int) {
        if flags.intersection(.writing) != .writable {
            if flags.contains(.tellsWrites) { return setTold(value, at: slot) }
            guard becomeWritable(toChange: slot) else { return }
        }
        // Writable objects have a row.
        value.write(to: AttributeWriter(words: words!, object: self, slot: slot))
    }

    /// Changes an optional attribute.
    @inlinable @inline(__always)
    public final func setAttribute<Value: AttributeValue>(_ value: Value?, at slot: Int) {
        if flags.intersection(.writing) != .writable {
            if flags.contains(.tellsWrites) { return setTold(value, at: slot) }
            guard becomeWritable(toChange: slot) else { return }
        }
        // Writable objects have a row.
        let writer = AttributeWriter(words: words!, object: self, slot: slot)
        if let value { value.write(to: writer) } else { writer.setNull() }
    }

    /// Changes an attribute, and tells those who want to know.
    @usableFromInline @inline(never)
    final func setTold<Value: AttributeValue>(_ value: Value?, at slot: Int) {
        tellWillWrite(slot)
        defer { tellDidWrite(slot) }
        if !flags.contains(.writable) { guard becomeWritable(toChange: slot) else { return } }
        guard let words else { return }
        let writer = AttributeWriter(words: words, object: self, slot: slot)
        if let value { value.write(to: writer) } else { writer.setNull() }
    }

    @inlinable @inline(never)
    final func attributeOfFault<Value: AttributeValue>(_ slot: Int) -> Value {
        let words = wordsOfFault(slot) ?? wordsOfTemplate
        return Value.read(from: AttributeReader(words: words, object: self, slot: slot))
    }

    /// Where a fault's value of a slot stands: among the values that were fetched, or else in its
    /// row, which is read then; nil when that fails.
    @usableFromInline @inline(never)
    final func wordsOfFault(_ slot: Int) -> UnsafeMutableRawPointer? {
        if let partial = partialRow(with: slot) {
            return UnsafeMutableRawPointer(mutating: partial.unsafeWords)
        }
        fireFault(reading: slot)
        return words
    }

    /// The defaults, for what cannot be read.
    @usableFromInline
    final var wordsOfTemplate: UnsafeMutableRawPointer {
        UnsafeMutableRawPointer(mutating: plan.template.unsafeWords)
    }

    /// Makes the object's row its own, noting the change. False when the object cannot be changed;
    /// when that is because it is gone, the next save says so.
    @usableFromInline @inline(never)
    final func becomeWritable(toChange slot: Int) -> Bool {
        if becomeWritable() { return true }
        reportLostWrite(to: name(ofSlot: slot))
        return false
    }

    /// Has the next save say that a property was written although the object is gone; does nothing
    /// otherwise.
    final func reportLostWrite(to property: @autoclosure () -> String) {
        if !isGone { return }
        let error = ContextError.objectNotFound(objectID, writing: property())
        // Several writes to one property are one loss.
        let known = plan.handle.part(for: self).context.failures.errors.last as? ContextError
        if known?.message != error.message { report(faultError: error) }
    }

    /// Makes the object's row its own, noting the change. False when the object cannot be changed.
    final func becomeWritable() -> Bool {
        let part = plan.handle.part(for: self)
        part.requireOwner(for: self)
        if flags.contains(.gone) { return false }
        if words == nil { fireFault() }
        guard let row else { return false }
        if flags.contains(.deleted) { return false }
        let own = part.arena.copy(row, layout: plan.entity.layout)
        let extra = ensureExtra()
        // With changes that did not count the base is there already.
        extra.base = extra.base ?? row
        adopt(own)
        flags.insert(.writable)
        part.recordUpdate(of: self)
        return true
    }

    /// Takes over a row that belongs to this object alone.
    final func adopt(_ own: MutableRow) {
        recordWriteToIndexed()
        storage = own.storage
        words = own.words
    }

    /// The row as something to write; nil when it is shared.
    final var mutableRow: MutableRow? {
        guard flags.contains(.writable), let words, let storage else { return nil }
        recordWriteToIndexed()
        return MutableRow(storage: storage, words: words)
    }

    /// Writes the bytes of a tail slot.
    final func setBytes(_ bytes: UnsafeRawBufferPointer, at slot: Int) {
        guard flags.contains(.writable), let words else { return }
        recordWriteToIndexed()
        let isSet = withPlan { plan in
            plan.borrowedArena.with {
                $0.setInPlace(bytes: bytes, at: slot, of: words)
            }
        }
        if isSet { return }
        guard var row = mutableRow else { return }
        plan.handle.arena.set(bytes: bytes, at: slot, of: &row, layout: plan.layout)
        adopt(row)
    }

    /// Keeps the old value and lets the next save say why.
    @usableFromInline final func refuse(_ slot: Int, _ problem: String) {
        let error = ContextError.invalidValue(
            of: name(ofSlot: slot), objectID: objectID, problem)
        report(faultError: error)
    }

    /// Keeps why a value could not be read or taken, for the object and for the next save.
    final func report(faultError error: any Error) {
        ensureExtra().faultError = error
        plan.handle.part(for: self).context.reportFaultFailure(of: self, error)
    }
}
