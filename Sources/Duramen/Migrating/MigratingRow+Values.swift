import DuramenModel
public import DuramenStore

extension MigratingRow {
    /// Returns the value of an attribute, or of an element of a composite by its path. Returns nil
    /// for null and for a value of another type.
    ///
    /// The step throws if the entity has no such attribute.
    public subscript<Value: AttributeValue>(path: String) -> Value? {
        Value(storedValue: storedValue(forKey: path))
    }

    /// Returns the value of an attribute as a type; see ``subscript(_:)``.
    public func value<Value: AttributeValue>(_ path: String, _ type: Value.Type) -> Value? {
        self[path]
    }
}

extension MigratedRow {
    /// The value of an attribute, or of an element of a composite by its path; nil for null.
    ///
    /// The step throws if it does not write the attribute, or if the value does not have the
    /// attribute's type.
    public subscript<Value: AttributeValue>(path: String) -> Value? {
        get { Value(storedValue: storedValue(forKey: path)) }
        set { setStoredValue(newValue?.storedValue ?? .null, forKey: path) }
    }
}
