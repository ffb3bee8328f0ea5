public import DuramenModel
import DuramenQuery

/// A property that ``FetchRequest/select(_:)`` accepts: an attribute, a to-one, a to-many or the
/// object's ID.
///
/// The library declares all conformances; an attribute type gets it with ``AttributeValue``.
public protocol SelectableProperty: SendableMetatype {
    /// The type of the fetched value.
    associatedtype Selected: Sendable
    /// The kind of property that the model must have.
    static var selectedKind: SelectedKind { get }
    /// Reads the property.
    ///
    /// - Parameters:
    ///   - reader: The reader of the row.
    ///   - position: A slot, or the index of a to-many.
    static func selected(from reader: ValuesReader, at position: Int) -> Selected
}

/// A type that an optional ``SelectableProperty`` can wrap.
public protocol OptionalSelectableProperty {
    /// The type of the fetched value of the optional property.
    associatedtype SelectedIfPresent: Sendable
    /// The kind of property that the model must have.
    static var optionalSelectedKind: SelectedKind { get }
    /// Reads the property.
    static func selectedIfPresent(from reader: ValuesReader, at slot: Int) -> SelectedIfPresent?
}

/// The kind of property that the model must have for a selected property.
public enum SelectedKind: Sendable, Hashable {
    /// An attribute of a type.
    case attribute(AttributeType)
    /// A composite attribute, whose elements take a number of slots.
    case composite(slotCount: Int)
    /// A to-one.
    case toOne
    /// A to-many.
    case toMany
    /// The object's ID, which every entity has.
    case objectID
}

extension AttributeValue {
    /// An attribute.
    public static var selectedKind: SelectedKind { .attribute(attributeType) }

    /// Reads the attribute. If it has no value, the row is incomplete.
    @inlinable @inline(__always)
    public static func selected(from reader: ValuesReader, at slot: Int) -> Self {
        reader.attribute(at: slot, Self.self)
    }

    /// An attribute.
    public static var optionalSelectedKind: SelectedKind { .attribute(attributeType) }

    /// Reads the attribute.
    @inlinable @inline(__always)
    public static func selectedIfPresent(from reader: ValuesReader, at slot: Int) -> Self? {
        reader.attribute(at: slot, Self.self)
    }
}

extension CompositeValue {
    /// A composite attribute.
    public static var selectedKind: SelectedKind { .composite(slotCount: elements.slotCount) }

    /// Reads the elements.
    public static func selected(from reader: ValuesReader, at slot: Int) -> Self {
        reader.composite(at: slot, Self.self)
    }

    /// A composite attribute.
    public static var optionalSelectedKind: SelectedKind { selectedKind }

    /// Reads the elements; nil if no element has a value.
    public static func selectedIfPresent(from reader: ValuesReader, at slot: Int) -> Self? {
        reader.composite(at: slot, Self.self)
    }
}

extension ManagedObject: OptionalSelectableProperty {
    /// A to-one.
    public static var optionalSelectedKind: SelectedKind { .toOne }

    /// Reads the ID of the to-one's destination.
    public static func selectedIfPresent(
        from reader: ValuesReader, at slot: Int
    ) -> ManagedObjectID? { reader.toOne(at: slot) }
}

extension Optional: SelectableProperty where Wrapped: OptionalSelectableProperty {
    /// The kind of property that the wrapped type selects.
    public static var selectedKind: SelectedKind { Wrapped.optionalSelectedKind }

    /// Reads the property.
    @inlinable @inline(__always)
    public static func selected(
        from reader: ValuesReader, at slot: Int
    ) -> Wrapped.SelectedIfPresent? { Wrapped.selectedIfPresent(from: reader, at: slot) }
}

extension ToMany: SelectableProperty {
    /// A to-many.
    public static var selectedKind: SelectedKind { .toMany }

    /// Reads the IDs of the to-many's destinations.
    public static func selected(
        from reader: ValuesReader, at index: Int
    ) -> [ManagedObjectID] { reader.toMany(at: index) }
}

extension OrderedToMany: SelectableProperty {
    /// A to-many.
    public static var selectedKind: SelectedKind { .toMany }

    /// Reads the IDs of the to-many's destinations, in its order.
    public static func selected(
        from reader: ValuesReader, at index: Int
    ) -> [ManagedObjectID] { reader.toMany(at: index) }
}

extension ManagedObjectID: SelectableProperty {
    /// The object's ID.
    public static var selectedKind: SelectedKind { .objectID }

    /// Reads the object's ID.
    public static func selected(from reader: ValuesReader, at position: Int) -> ManagedObjectID {
        reader.objectID
    }
}
