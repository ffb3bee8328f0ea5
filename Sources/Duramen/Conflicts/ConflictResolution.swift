public import DuramenModel

/// A resolution of one conflict, returned by a closure of ``MergePolicy/custom(_:)``. It applies a
/// policy, and then sets further values on the object.
public struct ConflictResolution: Sendable {
    let policy: MergePolicy
    private(set) var values: [String: StoredValue] = [:]

    /// Leaves the conflict to the application: the save throws ``SaveConflictError`` with all conflicts.
    public static let fail = ConflictResolution(policy: .error)

    /// Does what a policy does.
    public static func policy(_ policy: MergePolicy) -> ConflictResolution {
        ConflictResolution(policy: policy)
    }

    /// The same, and a property of the object gets a value.
    ///
    /// An object that the policy deletes or drops gets none.
    /// - Parameters:
    ///   - value: As stores hold it; null takes the value away, and a to-one takes an object ID.
    ///   - property: An attribute, a to-one, or the path of a composite's element.
    public func setting(_ value: StoredValue, for property: String) -> ConflictResolution {
        var resolution = self
        resolution.values[property] = value
        return resolution
    }

    /// The same, and an attribute of the object gets a value.
    public func setting<Object: ManagedObject, Value: AttributeValue>(
        _ attribute: KeyPath<Object, Value>, to value: Value
    ) -> ConflictResolution {
        setting(value.storedValue, for: Object.nameOfProperty(attribute))
    }

    /// The same, and an attribute of the object gets a value, or none.
    public func setting<Object: ManagedObject, Value: AttributeValue>(
        _ attribute: KeyPath<Object, Value?>, to value: Value?
    ) -> ConflictResolution {
        setting(value?.storedValue ?? .null, for: Object.nameOfProperty(attribute))
    }
}

extension ObjectSnapshot {
    /// The value of an attribute; nil when it has none, or the object is not of that class.
    public subscript<Object: ManagedObject, Value: AttributeValue>(
        attribute: KeyPath<Object, Value>
    ) -> Value? {
        self[Object.nameOfProperty(attribute)].flatMap(Value.init)
    }

    /// The value of an attribute; nil when it has none, or the object is not of that class.
    public subscript<Object: ManagedObject, Value: AttributeValue>(
        attribute: KeyPath<Object, Value?>
    ) -> Value? {
        self[Object.nameOfProperty(attribute)].flatMap(Value.init)
    }
}

extension ManagedObject {
    /// The name of a property; a key path that is none is kept as text, to be refused by its name.
    fileprivate static func nameOfProperty(_ keyPath: AnyKeyPath) -> String {
        propertyName(for: keyPath) ?? "\(keyPath)"
    }
}
