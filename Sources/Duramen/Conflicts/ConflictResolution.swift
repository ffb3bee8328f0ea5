public import DuramenModel

/// The decision of a ``MergePolicy/custom(_:)`` closure about one conflict: a policy to apply, and
/// values to set on the object afterwards.
public struct ConflictResolution: Sendable {
    let policy: MergePolicy
    private(set) var values: [String: StoredValue] = [:]

    /// Does not settle the conflict: the save throws ``SaveConflictError`` with all conflicts.
    public static let fail = ConflictResolution(policy: .error)

    /// Returns a resolution that applies a policy.
    public static func policy(_ policy: MergePolicy) -> ConflictResolution {
        ConflictResolution(policy: policy)
    }

    /// Returns this resolution with an additional value for a property of the object.
    ///
    /// The value is ignored if the policy deletes or discards the object.
    /// - Parameters:
    ///   - value: The stored form of the value; null for no value. For a to-one, an object ID.
    ///   - property: An attribute, a to-one, or the path of a composite's element.
    public func setting(_ value: StoredValue, for property: String) -> ConflictResolution {
        var resolution = self
        resolution.values[property] = value
        return resolution
    }

    /// Returns this resolution with an additional value for an attribute of the object.
    public func setting<Object: ManagedObject, Value: AttributeValue>(
        _ attribute: KeyPath<Object, Value>, to value: Value
    ) -> ConflictResolution {
        setting(value.storedValue, for: Object.nameOfProperty(attribute))
    }

    /// Returns this resolution with an additional value, or nil, for an attribute of the object.
    public func setting<Object: ManagedObject, Value: AttributeValue>(
        _ attribute: KeyPath<Object, Value?>, to value: Value?
    ) -> ConflictResolution {
        setting(value?.storedValue ?? .null, for: Object.nameOfProperty(attribute))
    }
}

extension ObjectSnapshot {
    /// Returns the value of an attribute; nil if it has none or the object is of another class.
    public subscript<Object: ManagedObject, Value: AttributeValue>(
        attribute: KeyPath<Object, Value>
    ) -> Value? {
        self[Object.nameOfProperty(attribute)].flatMap(Value.init)
    }

    /// Returns the value of an attribute; nil if it has none or the object is of another class.
    public subscript<Object: ManagedObject, Value: AttributeValue>(
        attribute: KeyPath<Object, Value?>
    ) -> Value? {
        self[Object.nameOfProperty(attribute)].flatMap(Value.init)
    }
}

extension ManagedObject {
    /// The name of a property. For other key paths, a description that will be rejected as unknown.
    fileprivate static func nameOfProperty(_ keyPath: AnyKeyPath) -> String {
        propertyName(for: keyPath) ?? "\(keyPath)"
    }
}
