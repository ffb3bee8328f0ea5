extension PersistentContainer: CustomStringConvertible {
    /// The name, the stores and the number of entities in the model. Reads no store.
    public var description: String {
        let count = managedObjectModel.entities.count
        let stores = persistentStoreCoordinator.storeNames
        return
            "<PersistentContainer '\(name)' on \(stores): \(count) \(count == 1 ? "entity" : "entities")>"
    }
}
