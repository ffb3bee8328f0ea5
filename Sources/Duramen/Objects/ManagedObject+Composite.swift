import DuramenModel

extension ManagedObject {
    /// Reads a composite attribute whose elements start at a slot, and loads the object if it is a
    /// fault. Elements without a value are read as attributes without one are.
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

    /// Reads an optional composite attribute; nil when no element has a value.
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

    /// Changes those elements of a composite attribute that differ from what they are.
    public final func setComposite<Composite: CompositeValue>(_ value: Composite, at slot: Int) {
        if words == nil { fireFault() }
        var next = slot
        for element in Composite.elements.list {
            element.access.write(value, to: self, at: next)
            next += element.slotCount
        }
    }

    /// Changes an optional composite attribute; nil takes all elements away.
    public final func setComposite<Composite: CompositeValue>(_ value: Composite?, at slot: Int) {
        if let value { return setComposite(value, at: slot) }
        if words == nil { fireFault() }
        for index in slot..<slot + Composite.elements.slotCount where !holds(.null, at: index) {
            setNull(index)
        }
    }

    /// Changes an element unless it has the value.
    final func setElement<Value: AttributeValue>(_ value: Value, at slot: Int) {
        if !holds(value.storedValue, at: slot) { setAttribute(value, at: slot) }
    }

    /// Changes an optional element unless it has the value.
    final func setElement<Value: AttributeValue>(_ value: Value?, at slot: Int) {
        if !holds(value?.storedValue ?? .null, at: slot) { setAttribute(value, at: slot) }
    }

    /// Whether an attribute's slot has a value; false for an object that cannot be read.
    final func holds(_ value: StoredValue, at slot: Int) -> Bool {
        row?.value(slot, plan.layout.kinds[slot]) == value
    }
}
