import DuramenModel
import DuramenStore

extension ManagedObjectContext {
    /// Recomputes the derived attributes of stored objects, in one transaction per store, and
    /// corrects wrong values.
    ///
    /// Stores keep derived attributes with each save and batch. This is for stores that somebody
    /// else wrote to past the library, and for attributes that were made derived when there were
    /// objects already. Times of `now()` are left as they are. Contexts are told as of a batch.
    ///
    /// - Parameters:
    ///   - entities: The names of those whose objects are looked at, with their sub-entities; all
    ///     by default.
    ///   - isolation: The owner of the context, filled in by the compiler.
    /// - Returns: How many objects were corrected.
    /// - Throws: ``ContextError`` `.unknownName`; ``StoreError`` `.invalidRequest` when a sum does
    ///   not fit its attribute, `.unsupported`, `.cancelled`.
    /// - Complexity: Reads all objects of the entities, and the members of each to-many that is
    ///   counted or summed up.
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
            // A store of a configuration has some of the entities.
            let own = entities?.compactMap { store.model.entity(named: $0)?.id }
            return try DerivedRecomputation(of: own, settings).run(on: store)
        }.count
    }
}
