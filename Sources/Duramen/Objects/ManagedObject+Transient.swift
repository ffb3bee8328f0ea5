import DuramenModel

// Transient attributes: values that belong to an object and are never stored. They are lost when
// the object becomes a fault or is released, and with its context.
extension ManagedObject {
    /// Returns the value of a transient attribute without loading a row. The first read of an unset
    /// attribute sets its initial value, which does not count as a change.
    public final func transient<Value>(
        at index: Int, default initial: @autoclosure () -> Value
    ) -> Value {
        reportRead(transient: index)
        if let value = extra?.transients?.current[index] as? Value { return value }
        let value = initial()
        let values = ensureTransients()
        values.current[index] = value
        values.saved[index] = value
        return value
    }

    /// Sets a transient attribute. The object counts as changed until the next save, which writes
    /// nothing for it.
    public final func setTransient<Value>(_ value: Value, at index: Int) {
        setTransientValue(value, at: index)
    }

    /// Returns the value of a transient attribute by its description; nil for none.
    final func transientValue(of attribute: TransientAttribute) -> Any? {
        reportRead(transient: attribute.index)
        if let value = extra?.transients?.current[attribute.index] {
            if let destinations = value as? TransientDestinations {
                return keyedValue(of: destinations)
            }
            return Self.unwrapped(value)
        }
        return attribute.defaultValue.swiftValue(as: attribute.type)
    }

    final func setTransientValue(_ value: Any, at index: Int) {
        if !flags.isDisjoint(with: [.gone, .deleted]) {
            return reportLostWrite(to: plan.entity.transientAttributes[index].name)
        }
        telling(transient: index) {
            let values = ensureTransients()
            values.current[index] = value
            values.edited.insert(index)
            plan.handle.part(for: self).recordUpdate(of: self)
        }
    }

    /// Removes the value of a transient attribute, so that it has its default again.
    final func unsetTransientValue(at index: Int) {
        putBack(
            TransientBefore(value: nil, values: ensureTransients(), wasEdited: true),
            ofTransientAt: index)
    }

    /// Restores the value of a transient attribute from before it was set.
    final func putBack(_ before: TransientBefore, ofTransientAt index: Int) {
        if !flags.isDisjoint(with: [.gone, .deleted]) { return }
        telling(transient: index) {
            let values = ensureTransients()
            values.current[index] = before.value
            if before.wasEdited || before.values !== values {
                values.edited.insert(index)
            } else {
                values.edited.remove(index)
            }
            plan.handle.part(for: self).recordUpdate(of: self)
        }
    }

    final func ensureTransients() -> TransientValues {
        let extra = ensureExtra()
        if let values = extra.transients { return values }
        let values = TransientValues()
        extra.transients = values
        return values
    }

    /// Makes the present values those that a rollback restores.
    @inline(__always) final func keepTransients() {
        if withPlan({ $0.entity.transientAttributes.isEmpty }) { return }
        if let extra { extra.transients = extra.transients.map { TransientValues($0.current) } }
    }

    /// The names of mandatory transient attributes without a value.
    final var missingTransients: [String] {
        plan.demands.mandatoryTransients.filter { transientValue(of: $0) == nil }.map(\.name)
    }

    // A typed accessor stores nil as a value, so that it hides the default.
    static func unwrapped(_ value: Any) -> Any? {
        guard let optional = value as? any OptionalTransient else { return value }
        return optional.wrapped
    }
}

/// An optional of any type.
private protocol OptionalTransient {
    var wrapped: Any? { get }
}

extension Optional: OptionalTransient {
    var wrapped: Any? { self }
}
