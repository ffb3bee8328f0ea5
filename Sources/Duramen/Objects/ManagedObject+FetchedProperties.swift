import DuramenModel
import DuramenQuery

extension ManagedObject {
    /// Returns the objects of a fetched property, as the context sees them at the first read. They
    /// are kept until the object is refreshed or becomes a fault.
    ///
    /// - Throws: ``ContextError`` `.unknownName`, errors of a fetch, or the error of loading the
    ///   object.
    /// - Complexity: One fetch, of all stores with the entity, at the first call.
    public final func fetchedObjects<Object: ManagedObject>(
        forKey key: String, as type: Object.Type = ManagedObject.self
    ) throws -> [Object] {
        guard let property = entity.fetchedProperty(named: key) else { throw unknownProperty(key) }
        let context = plan.handle.part(for: self).context
        let name = StoredText(property.name)
        if let known = extra?.fetched[name] {
            return known.compactMap { context.object(with: $0) as? Object }
        }
        try load()
        let found = try context.fetch(
            FetchedPropertyRequest(property, of: self).request(), isolation: nil)
        ensureExtra().fetched[name] = found.map(\.objectID)
        return found.compactMap { $0 as? Object }
    }

    /// Returns the objects of a fetched property, for accessors. The result is empty if they cannot
    /// be fetched; ``faultError`` then has the error.
    public final func fetched<Object: ManagedObject>(_ key: String) -> [Object] {
        do {
            return try fetchedObjects(forKey: key, as: Object.self)
        } catch {
            report(faultError: error)
            return []
        }
    }
}
