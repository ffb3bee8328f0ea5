import DuramenModel
import DuramenStore

extension ManagedObjectContext {
    /// Recomputes the derived attributes of stored objects in one transaction per store, and
    /// corrects wrong values.
    ///
    /// Each save and batch keeps derived attributes up to date. Call this method for a store that
    /// other software wrote to. Also call it after you made an attribute derived in a store that
    /// has objects. Times from `now()` stay as they are. Contexts are notified as after a batch.
    ///
    /// - Parameters:
    ///   - entities: The names of the entities whose objects are checked, with their subentities;
    ///     nil checks all entities.
    ///   - cancellation: A flag that cancels the call with `.cancelled` when raised.
    ///   - isolation: The isolation that the call runs in; leave it out.
    /// - Returns: The number of corrected objects.
    /// - Throws: ``ContextError`` `.unknownName`; ``StoreError`` `.invalidRequest` when a sum does
    ///   not fit its attribute, `.unsupported`, `.cancelled`.
    /// - Complexity: Reads all objects of the entities, and the members of each to-many that is
    ///   counted or summed.
    @discardableResult
    public func recomputeDerived(
        of entities: [String]? = nil, cancellation: CancellationFlag? = nil,
        isolation: isolated (any Actor)? = #isolation
    ) throws -> Int {
        enter(isolation)
        noticeStores()
        let model = persistentStoreCoordinator.managedObjectModel
        for name in entities ?? [] where model.entity(named: name) == nil {
            throw ContextError(
                .unknownName,
                "The model has no entity '\(name)'. "
                    + NearestName.question(name, among: model.entities.map(\.name))
                    + "Correct the name, or add the entity to the model.")
        }
        let settings = batchSettings(.count, cancellation, nil)
        let parts = openParts.filter { $0.topPart.connection.isWritable }
        return try perform(parts) { store in
            // The store of a configuration may have only some of the entities.
            let own = entities?.compactMap { store.model.entity(named: $0)?.id }
            return try DerivedRecomputation(of: own, settings).run(on: store)
        }.count
    }
}
