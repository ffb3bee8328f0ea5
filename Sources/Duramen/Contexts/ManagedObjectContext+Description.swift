extension ManagedObjectContext: CustomStringConvertible {
    /// The name, the stores, and the number of registered, inserted, changed and deleted objects.
    /// Loads nothing and releases no object.
    ///
    /// - Complexity: O(*n*) in the number of objects with unsaved changes.
    public var description: String {
        let tables = parts.flatMap(\.tables)
        let counts = [
            (tables.reduce(0) { $0 + $1.count }, "registered"),
            (parts.reduce(0) { $0 + $1.tracker.inserted.count }, "inserted"),
            (parts.reduce(0) { $0 + $1.tracker.updated.count(where: \.isUpdated) }, "updated"),
            (parts.reduce(0) { $0 + $1.tracker.deleted.count }, "deleted"),
        ]
        let location = persistentStoreCoordinator.storeNames
        return "<ManagedObjectContext \(name.map { "'\($0)'" } ?? "unnamed")"
            + "\(parent == nil ? " on " : ", a child on ")\(location): "
            + counts.map { "\($0) \($1)" }.joined(separator: ", ") + ">"
    }
}

extension PersistentStoreCoordinator {
    /// The names of the stores in descriptions, in the container's order.
    var storeNames: String {
        let names = connections.map { "'\($0.name)'" }
        return names.isEmpty ? "no store" : names.joined(separator: ", ")
    }
}
