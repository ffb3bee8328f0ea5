public import DuramenModel
import DuramenQuery

/// A property that ``FetchRequest/select(_:aggregating:)`` can group by: an attribute or a to-one.
///
/// The library declares all conformances; a type of attributes has it by being an
/// ``AttributeValue``.
public protocol GroupableProperty: SelectableProperty {
    /// Takes a value of a result.
    ///
    /// - Returns: Nil when it is none of the type.
    static func selected(from value: StoredValue) -> Selected?
}

/// A type that an optional ``GroupableProperty`` can wrap.
public protocol OptionalGroupableProperty: OptionalSelectableProperty {
    /// Takes a value of a result that is not null.
    ///
    /// - Returns: Nil when it is none of the type.
    static func selectedIfPresent(from value: StoredValue) -> SelectedIfPresent?
}

extension AttributeValue {
    /// Takes a value of the type.
    public static func selected(from value: StoredValue) -> Self? { Self(result: value) }

    /// Takes a value of the type.
    public static func selectedIfPresent(from value: StoredValue) -> Self? { Self(result: value) }
}

extension ManagedObject: OptionalGroupableProperty {
    /// Takes the ID of an object.
    public static func selectedIfPresent(from value: StoredValue) -> ManagedObjectID? {
        guard case .objectID(let id) = value else { return nil }
        return id
    }
}

extension Optional: GroupableProperty where Wrapped: OptionalGroupableProperty {
    /// Takes a value, or null for nil.
    public static func selected(from value: StoredValue) -> Wrapped.SelectedIfPresent?? {
        if value.isNull { return .some(nil) }
        return Wrapped.selectedIfPresent(from: value).map { .some($0) }
    }
}
