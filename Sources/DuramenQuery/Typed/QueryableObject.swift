public import DuramenModel

/// A class whose objects typed predicates and sort descriptors ask for.
///
/// An object stands for its ID where a format string is given it.
public protocol QueryableObject: AnyObject, PredicateArgument {
    /// Returns the name of the property behind a key path of one step, or nil if it is not a
    /// managed property.
    static func propertyName(for keyPath: AnyKeyPath) -> String?

    /// Whether a key path leads from an object to its own ID. Predicates of Foundation, which have
    /// key paths only, compare objects so.
    static func isObjectID(_ keyPath: AnyKeyPath) -> Bool

    /// The object's ID, for comparing relationships with objects.
    var queryObjectID: ManagedObjectID { get }
}

/// The type of a to-many property.
public protocol ToManyCollection {
    /// The class of the destinations.
    associatedtype Element: QueryableObject

    /// Returns the collection's own property that a key path names: its count or
    /// emptiness. Nil for a property that stores cannot query.
    static func property(for keyPath: AnyKeyPath) -> ToManyProperty?
}

/// A property of a to-many collection that stores can be asked for.
public enum ToManyProperty: Sendable {
    /// The number of destinations.
    case count
    /// Whether there are no destinations.
    case isEmpty
}

extension QueryableObject {
    /// No key path is known to lead to the ID.
    public static func isObjectID(_ keyPath: AnyKeyPath) -> Bool { false }

    /// The object's ID as a constant.
    public var predicateExpression: FetchExpression { .constant(.objectID(queryObjectID)) }
}

extension ToManyCollection {
    /// No key path is known.
    public static func property(for keyPath: AnyKeyPath) -> ToManyProperty? { nil }
}

extension QueryableObject {
    static func queryName(for keyPath: AnyKeyPath) -> String {
        propertyName(for: keyPath) ?? UnmanagedKeyPath.name(for: keyPath)
    }
}
