public import DuramenQuery

// What predicates of Foundation, which have key paths only, ask of objects and to-manys.

extension QueryableObject where Self: ManagedObject {
    /// Whether a key path leads from an object to its own ID.
    public static func isObjectID(_ keyPath: AnyKeyPath) -> Bool {
        keyPath == \Self.objectID || keyPath == \Self.id || keyPath == \Self.queryObjectID
    }
}

extension ToMany {
    /// Returns the property of the collection that a key path reads: its count or whether it is
    /// empty.
    public static func property(for keyPath: AnyKeyPath) -> ToManyProperty? {
        keyPath == \ToMany.count ? .count : (keyPath == \ToMany.isEmpty ? .isEmpty : nil)
    }
}

extension OrderedToMany {
    /// Returns the property of the collection that a key path reads: its count or whether it is
    /// empty.
    public static func property(for keyPath: AnyKeyPath) -> ToManyProperty? {
        keyPath == \OrderedToMany.count
            ? .count : (keyPath == \OrderedToMany.isEmpty ? .isEmpty : nil)
    }
}
