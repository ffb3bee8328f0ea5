public import DuramenModel

/// A class whose objects typed predicates and sort descriptors can query.
///
/// An object that is an argument of a format string is replaced by its ID.
public protocol QueryableObject: AnyObject, PredicateArgument {
    /// Returns the name of the property for a key path of one step, or nil if it is not a managed
    /// property.
    static func propertyName(for keyPath: AnyKeyPath) -> String?

    /// Returns whether a key path refers to an object's own ID. Foundation's predicates, which have
    /// only key paths, compare objects with it.
    static func isObjectID(_ keyPath: AnyKeyPath) -> Bool

    /// The object's ID, for comparing relationships with objects.
    var queryObjectID: ManagedObjectID { get }
}

/// The type of a to-many property.
public protocol ToManyCollection {
    /// The class of the destinations.
    associatedtype Element: QueryableObject

    /// Returns the queryable property of the collection for a key path: its count or emptiness. Nil
    /// for a property that stores cannot query.
    static func property(for keyPath: AnyKeyPath) -> ToManyProperty?
}

/// A property of a to-many collection that stores can query.
public enum ToManyProperty: Sendable {
    /// The number of destinations.
    case count
    /// Whether there are no destinations.
    case isEmpty
}

extension QueryableObject {
    /// Returns false: no key path is known to refer to the ID.
    public static func isObjectID(_ keyPath: AnyKeyPath) -> Bool { false }

    /// The object's ID as a constant.
    public var predicateExpression: FetchExpression { .constant(.objectID(queryObjectID)) }
}

extension ToManyCollection {
    /// Returns nil: no key path is known.
    public static func property(for keyPath: AnyKeyPath) -> ToManyProperty? { nil }
}

extension QueryableObject {
    static func queryName(for keyPath: AnyKeyPath) -> String {
        propertyName(for: keyPath) ?? UnmanagedKeyPath.name(for: keyPath)
    }
}
