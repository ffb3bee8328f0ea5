import DuramenModel

extension ManagedObject {
    /// Returns the value of a composite attribute whose elements start at a slot, and loads the
    /// object if it is a fault. Elements without a value are read like attributes without a value.
    ///
    /// - Complexity: O(*n*) in the number of elements.
    public final func composite<Composite: CompositeValue>(
        at slot: Int, _ type: Composite.Type = Composite.self
    ) -> Composite {
        var result = Composite()
        guard rowToRead(slot..<slot + Composite.elements.slotCount) != nil else { return result }
        var next = slot
        for element in Composite.elements.list {
            element.access.read(from: self, at: next, into: &result)
            next += element.slotCount
        }
        return result
    }

    /// Returns the value of an optional composite attribute; nil if no element has a value.
    public final func composite<Composite: CompositeValue>(
        at slot: Int, _ type: Composite.Type = Composite.self
    ) -> Composite? {
        let slots = slot..<slot + Composite.elements.slotCount
        // Whether there is a value depends on all elements.
        for index in slots { reportRead(slot: index) }
        guard let row = rowToRead(slots), slots.contains(where: { !row.isNull($0) })
        else { return nil }
        let value: Composite = composite(at: slot)
        return value
    }

    /// Sets the elements of a composite attribute that differ from the present ones.
    public final func setComposite<Composite: CompositeValue>(_ value: Composite, at slot: Int) {
        if words == nil { fireFault() }
        var next = slot
        for element in Composite.elements.list {
            element.access.write(value, to: self, at: next)
            next += element.slotCount
        }
    }

    /// Sets an optional composite attribute; nil removes all elements.
    public final func setComposite<Composite: CompositeValue>(_ value: Composite?, at slot: Int) {
        if let value { return setComposite(value, at: slot) }
        if words == nil { fireFault() }
        for index in slot..<slot + Composite.elements.slotCount where !holds(.null, at: index) {
            setNull(index)
        }
    }

    /// Sets an element unless it already has the value.
    final func setElement<Value: AttributeValue>(_ value: Value, at slot: Int) {
        if !holds(value.storedValue, at: slot) { setAttribute(value, at: slot) }
    }

    /// Sets an optional element unless it already has the value.
    final func setElement<Value: AttributeValue>(_ value: Value?, at slot: Int) {
        if !holds(value?.storedValue ?? .null, at: slot) { setAttribute(value, at: slot) }
    }

    /// Whether an attribute's slot has a value; false for an object that cannot be loaded.
    final func holds(_ value: StoredValue, at slot: Int) -> Bool {
        row?.value(slot, plan.layout.kinds[slot]) == value
    }
}
