public import DuramenModel
import DuramenQuery

/// A property that ``FetchRequest/select(_:aggregating:_:)`` can group by: an attribute or a
/// to-one.
///
/// The library declares all conformances; an attribute type gets it with ``AttributeValue``.
public protocol GroupableProperty: SelectableProperty {
    /// Returns the property's value for a value of a result.
    ///
    /// - Returns: Nil if the value does not have the type.
    static func selected(from value: StoredValue) -> Selected?
}

/// A type that an optional ``GroupableProperty`` can wrap.
public protocol OptionalGroupableProperty: OptionalSelectableProperty {
    /// Returns the property's value for a value of a result that is not null.
    ///
    /// - Returns: Nil if the value does not have the type.
    static func selectedIfPresent(from value: StoredValue) -> SelectedIfPresent?
}

extension AttributeValue {
    /// Returns the value in the attribute's type; nil if it does not have the type.
    public static func selected(from value: StoredValue) -> Self? { Self(result: value) }

    /// Returns the value in the attribute's type; nil if it does not have the type.
    public static func selectedIfPresent(from value: StoredValue) -> Self? { Self(result: value) }
}

extension ManagedObject: OptionalGroupableProperty {
    /// Returns the ID of the object; nil for other values.
    public static func selectedIfPresent(from value: StoredValue) -> ManagedObjectID? {
        guard case .objectID(let id) = value else { return nil }
        return id
    }
}

extension Optional: GroupableProperty where Wrapped: OptionalGroupableProperty {
    /// Returns the value, or nil inside the optional for null.
    public static func selected(from value: StoredValue) -> Wrapped.SelectedIfPresent?? {
        if value.isNull { return .some(nil) }
        return Wrapped.selectedIfPresent(from: value).map { .some($0) }
    }
}
