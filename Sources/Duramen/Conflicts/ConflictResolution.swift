public import DuramenModel

/// The answer of a closure of ``MergePolicy/custom(_:)`` to one conflict: a policy to apply, and
/// values that the object gets on top of it.
public struct ConflictResolution: Sendable {
    let policy: MergePolicy
    private(set) var values: [String: StoredValue] = [:]

    /// Leaves the conflict to the application: the save throws ``SaveConflictError`` with all
    /// conflicts.
    public static let fail = ConflictResolution(policy: .error)

    /// Does what a policy does.
    public static func policy(_ policy: MergePolicy) -> ConflictResolution {
        ConflictResolution(policy: policy)
    }

    /// Returns this resolution with an additional value for a property of the object.
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

    /// Returns this resolution with an additional value for an attribute of the object.
    public func setting<Object: ManagedObject, Value: AttributeValue>(
        _ attribute: KeyPath<Object, Value>, to value: Value
    ) -> ConflictResolution {
        setting(value.storedValue, for: Object.nameOfProperty(attribute))
    }

    /// Returns this resolution with an additional value for an attribute of the object, or nil for
    /// none.
    public func setting<Object: ManagedObject, Value: AttributeValue>(
        _ attribute: KeyPath<Object, Value?>, to value: Value?
    ) -> ConflictResolution {
        setting(value?.storedValue ?? .null, for: Object.nameOfProperty(attribute))
    }
}

extension ObjectSnapshot {
    /// Returns the value of an attribute, or nil if it has none or the object is not of that class.
    public subscript<Object: ManagedObject, Value: AttributeValue>(
        attribute: KeyPath<Object, Value>
    ) -> Value? {
        self[Object.nameOfProperty(attribute)].flatMap(Value.init)
    }

    /// Returns the value of an attribute, or nil if it has none or the object is not of that class.
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
