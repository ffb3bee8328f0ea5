public import DuramenQuery

/// A Swift struct that holds the value of a composite attribute.
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
/// The macro `@Composite` writes `elements` and `init()`. In a class marked `@Managed`, declare the
/// property with `@Attribute(.composite)`. In a class written by hand, use `composite(at:_:)` and
/// `setComposite(_:at:)` of ``ManagedObject``. The property may be optional. The getter creates the
/// whole struct; the setter writes only elements that differ.
public protocol CompositeValue: QueryableComposite, SelectableProperty, OptionalSelectableProperty,
    Sendable
{
    /// The elements and the struct's properties that hold them.
    static var elements: CompositeElements<Self> { get }

    /// Creates a value to load the elements into. Getters also return it for an object that cannot
    /// be loaded.
    init()
}

extension CompositeValue {
    /// Returns the name of the element at a key path.
    public static func elementName(for keyPath: AnyKeyPath) -> String? { elements.names[keyPath] }

    /// The key paths of all elements, nested ones included, with their name paths.
    static var elementKeyPaths: [AnyKeyPath: String] { elements.names.all }

    /// The elements by name, as key-value coding uses them.
    var dictionary: [String: Any] {
        var values: [String: Any] = [:]
        for element in Self.elements.list {
            values[element.name] = self[keyPath: element.keyPath]
        }
        return values
    }
}
