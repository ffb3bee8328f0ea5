public import DuramenQuery

/// A Swift struct that a composite attribute is read into and written from.
///
/// ```swift
/// struct Location: CompositeValue {
///     var latitude = 0.0
///     var longitude = 0.0
///     var depth: Double?
///
///     static let elements = CompositeElements<Location>(
///         .attribute("latitude", \.latitude), .attribute("longitude", \.longitude),
///         .attribute("depth", \.depth))
/// }
/// ```
/// The macro `@Composite` writes `elements` and `init()`. A class marked `@Managed` has a property
/// of such a type by `@Attribute(.composite)`, one written by hand by
/// ``ManagedObject/composite(at:_:)`` and ``ManagedObject/setComposite(_:at:)``; it may be
/// optional. Reading makes the whole struct; writing touches only the elements that differ.
public protocol CompositeValue: QueryableComposite, SelectableProperty, OptionalSelectableProperty,
    Sendable
{
    /// The elements and the struct's properties that hold them.
    static var elements: CompositeElements<Self> { get }

    /// A value to read elements into. It is also what a getter gives when its object cannot be
    /// read.
    init()
}

extension CompositeValue {
    /// The name of the element behind a key path.
    public static func elementName(for keyPath: AnyKeyPath) -> String? { elements.names[keyPath] }

    /// The key paths of all elements, those within elements included, with the paths of names.
    static var elementKeyPaths: [AnyKeyPath: String] { elements.names.all }

    /// The elements by their names, as they are changed by key.
    var dictionary: [String: Any] {
        var values: [String: Any] = [:]
        for element in Self.elements.list {
            values[element.name] = self[keyPath: element.keyPath]
        }
        return values
    }
}
