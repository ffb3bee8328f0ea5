public import DuramenQuery

// What predicates of Foundation, which have key paths only, ask of objects and to-manys.

extension QueryableObject where Self: ManagedObject {
    /// Whether a key path leads from an object to its own ID.
    public static func isObjectID(_ keyPath: AnyKeyPath) -> Bool {
        keyPath == \Self.objectID || keyPath == \Self.queryObjectID
    }
}

extension ToMany {
    /// Returns the collection's own property that a key path names: its count or
    /// emptiness. Nil for others.
    public static func property(for keyPath: AnyKeyPath) -> ToManyProperty? {
        keyPath == \ToMany.count ? .count : (keyPath == \ToMany.isEmpty ? .isEmpty : nil)
    }
}

extension OrderedToMany {
    /// Returns the collection's own property that a key path names: its count or
    /// emptiness. Nil for others.
    public static func property(for keyPath: AnyKeyPath) -> ToManyProperty? {
        keyPath == \OrderedToMany.count
            ? .count : (keyPath == \OrderedToMany.isEmpty ? .isEmpty : nil)
    }
}
