public import DuramenModel
import DuramenQuery

/// What groups can be told apart by in ``FetchRequest/select(_:aggregating:)``: attributes and to-ones.
///
/// The library declares all conformances; a type of attributes has it by being an ``AttributeValue``.
public protocol GroupableProperty: SelectableProperty {
    /// Takes a value of a result.
    ///
    /// - Returns: Nil when it is none of the type.
    static func selected(from value: StoredValue) -> Selected?
}

/// What may stand in an optional property of ``GroupableProperty``.
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
