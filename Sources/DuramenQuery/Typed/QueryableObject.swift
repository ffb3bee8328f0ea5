public import DuramenModel

/// A class whose objects typed predicates and sort descriptors ask for.
public protocol QueryableObject: AnyObject {
    /// The name of the property behind a key path of one step; nil when it is no managed property.
    static func propertyName(for keyPath: AnyKeyPath) -> String?

    /// The object's ID, for comparing relationships with objects.
    var queryObjectID: ManagedObjectID { get }
}

/// The type of a to-many property.
public protocol ToManyCollection {
    /// The class of the destinations.
    associatedtype Element: QueryableObject
}

extension QueryableObject {
    static func queryName(for keyPath: AnyKeyPath) -> String {
        propertyName(for: keyPath) ?? UnmanagedKeyPath.name(for: keyPath)
    }
}
