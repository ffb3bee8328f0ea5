import DuramenModel
public import DuramenStore

extension MigratingRow {
    /// The value of an attribute, or of an element of a composite by its path; nil for null, and
    /// for a value that is none of the type.
    ///
    /// A name that is none ends the step with an error once the row is done.
    public subscript<Value: AttributeValue>(path: String) -> Value? {
        Value(storedValue: storedValue(forKey: path))
    }

    /// The value of an attribute as a type; see ``subscript(_:)``.
    public func value<Value: AttributeValue>(_ path: String, _ type: Value.Type) -> Value? {
        self[path]
    }
}

extension MigratedRow {
    /// The value of an attribute, or of an element of a composite by its path; nil for null.
    ///
    /// A name that the step does not write, or a value that is none of the attribute's type, ends
    /// the step with an error once the row is done.
    public subscript<Value: AttributeValue>(path: String) -> Value? {
        get { Value(storedValue: storedValue(forKey: path)) }
        set { setStoredValue(newValue?.storedValue ?? .null, forKey: path) }
    }
}
