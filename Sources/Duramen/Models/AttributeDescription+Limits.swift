public import DuramenModel

extension AttributeDescription {
    /// The same attribute, whose values lie between limits, which belong to them; see ``AttributeRules``.
    ///
    /// - Parameter type: The attribute's Swift type.
    public func limited<Value: AttributeValue>(
        _ type: Value.Type, minimum: Value? = nil, maximum: Value? = nil
    ) -> AttributeDescription {
        var copy = self
        copy.rules.minimum = minimum?.storedValue ?? .null
        copy.rules.maximum = maximum?.storedValue ?? .null
        return copy
    }

    /// The same for an optional attribute.
    public func limited<Value: AttributeValue>(
        _ type: Value?.Type, minimum: Value? = nil, maximum: Value? = nil
    ) -> AttributeDescription {
        limited(Value.self, minimum: minimum, maximum: maximum)
    }
}
