public import DuramenModel

extension AttributeDescription {
    /// Returns this attribute with inclusive limits for its values; see ``AttributeRules``.
    ///
    /// - Parameters:
    ///   - type: The attribute's Swift type.
    ///   - minimum: The smallest value; nil for no limit.
    ///   - maximum: The largest value; nil for no limit.
    public func limited<Value: AttributeValue>(
        _ type: Value.Type, minimum: Value? = nil, maximum: Value? = nil
    ) -> AttributeDescription {
        var copy = self
        copy.rules.minimum = minimum?.storedValue ?? .null
        copy.rules.maximum = maximum?.storedValue ?? .null
        return copy
    }

    /// Returns this optional attribute with inclusive limits for its values; see
    /// ``AttributeRules``.
    public func limited<Value: AttributeValue>(
        _ type: Value?.Type, minimum: Value? = nil, maximum: Value? = nil
    ) -> AttributeDescription {
        limited(Value.self, minimum: minimum, maximum: maximum)
    }
}
