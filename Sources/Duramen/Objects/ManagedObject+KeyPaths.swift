public import DuramenQuery

// Support for Foundation's predicates, which use only key paths of objects and to-manys.

extension QueryableObject where Self: ManagedObject {
    /// Whether a key path is that of an object's ID.
    public static func isObjectID(_ keyPath: AnyKeyPath) -> Bool {
        keyPath == \Self.objectID || keyPath == \Self.queryObjectID
    }
}

extension ToMany {
    /// Returns the property of a to-many at a key path: its count or emptiness. Nil for other key
    /// paths.
    public static func property(for keyPath: AnyKeyPath) -> ToManyProperty? {
        keyPath == \ToMany.count ? .count : (keyPath == \ToMany.isEmpty ? .isEmpty : nil)
    }
}

extension OrderedToMany {
    /// Returns the property of a to-many at a key path: its count or emptiness. Nil for other key
    /// paths.
    public static func property(for keyPath: AnyKeyPath) -> ToManyProperty? {
        keyPath == \OrderedToMany.count
            ? .count : (keyPath == \OrderedToMany.isEmpty ? .isEmpty : nil)
    }
}
