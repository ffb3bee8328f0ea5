import DuramenModel
import DuramenQuery

/// A fetch request without its type, so that the fetch itself is compiled only once.
@usableFromInline struct ErasedFetchRequest {
    let entityName: String?
    let objectClass: ManagedObject.Type
    let includesPendingChanges: Bool
    let refreshes: Bool
    let affectedStores: [StoreHandle]?
    let prefetches: [String]
    let properties: [String]
    let includesPropertyValues: Bool
    let returnsFaults: Bool
    /// The query, without its entity.
    var query: StoreQuery

    @usableFromInline init<Object: ManagedObject>(_ request: FetchRequest<Object>) {
        entityName = request.entityName
        objectClass = Object.self
        includesPendingChanges = request.includesPendingChanges
        refreshes = request.shouldRefreshRefetchedObjects
        affectedStores = request.affectedStores
        prefetches = request.relationshipKeyPathsForPrefetching
        properties = request.propertiesToFetch
        includesPropertyValues = request.includesPropertyValues
        returnsFaults = request.returnsObjectsAsFaults
        query = StoreQuery(
            entity: EntityID(index: 0), includesSubentities: request.includesSubentities,
            predicate: request.predicate, sortDescriptors: request.sortDescriptors,
            offset: request.fetchOffset, limit: request.fetchLimit,
            cancellation: request.cancellation)
    }

    /// Throws if the offset or the limit is negative.
    ///
    /// - Throws: ``ContextError`` `.invalidRequest`.
    func checkWindow() throws {
        guard query.offset >= 0, query.limit ?? 0 >= 0 else {
            throw ContextError(
                .invalidRequest, "A fetch request has a negative offset or limit; give 0 or more.")
        }
    }

    /// Whether the request can return objects of a class.
    func accepts(_ type: ManagedObject.Type) -> Bool {
        var type: AnyClass? = type
        while let current = type {
            if current == objectClass { return true }
            type = _getSuperclass(current)
        }
        return false
    }

    /// Throws if an object has a different class than requested.
    ///
    /// - Throws: ``ContextError`` `.invalidRequest`.
    func check(_ object: ManagedObject) throws {
        if accepts(Swift.type(of: object)) { return }
        throw ContextError(
            .invalidRequest,
            "The fetch request asks for \(objectClass), but \(object.objectID) is of class "
                + "\(Swift.type(of: object)). Write FetchRequest<\(Swift.type(of: object))>.",
            objectID: object.objectID)
    }

    /// Throws if a requested entity has objects of a different class.
    ///
    /// - Throws: ``ContextError`` `.invalidRequest`.
    func checkClasses(of entity: Entity, in model: ManagedObjectModel) throws {
        for id in query.includesSubentities ? entity.family : [entity.id] {
            let named = model[id].managedObjectClass?.type as? ManagedObject.Type
            if model[id].isAbstract || accepts(named ?? ManagedObject.self) { continue }
            throw ContextError(
                .invalidRequest,
                "The fetch request asks for \(objectClass), but objects of the entity "
                    + "\(model[id].name) have the class \(named ?? ManagedObject.self). Write "
                    + "FetchRequest<\(named ?? ManagedObject.self)>, or name an entity of \(objectClass)."
            )
        }
    }

    /// Returns the requested entity.
    ///
    /// - Throws: ``ContextError`` `.unknownName`. `.invalidRequest` if the entity's objects have a
    ///   different class than the request.
    func entity(in model: ManagedObjectModel) throws -> Entity {
        if let name = entityName {
            if let entity = model.entity(named: name) {
                // Checking the objects is not enough, because an empty store has none.
                if objectClass != ManagedObject.self { try checkClasses(of: entity, in: model) }
                return entity
            }
            throw ContextError(
                .unknownName,
                "The model has no entity '\(name)'. "
                    + NearestName.question(name, among: model.entities.map(\.name))
                    + "Correct the fetch request, or add the entity to the model.")
        }
        if objectClass != ManagedObject.self,
            let entity = model.entities.first(where: {
                $0.managedObjectClass?.type == objectClass
            })
        {
            return entity
        }
        throw ContextError(
            .unknownName,
            "The model has no entity of class \(objectClass). Add the class to the model, or "
                + "name the entity with FetchRequest(entityName:).")
    }

    /// Whether the fetch loads complete results and nothing else.
    var isPlain: Bool {
        prefetches.isEmpty && includesPropertyValues && returnsFaults && properties.isEmpty
    }

    /// Whether only some properties are loaded.
    var isPartial: Bool { !properties.isEmpty && includesPropertyValues && returnsFaults }
}
