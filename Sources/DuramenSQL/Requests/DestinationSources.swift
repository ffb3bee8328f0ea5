package import DuramenModel

/// The objects whose destinations are requested, in the order in which a statement returns them.
package struct DestinationSources {
    /// The indexes in the request of the store's own objects, ascending by key.
    package let places: [Int]
    /// Their keys, ascending and distinct.
    package let keys: [Int64]

    /// Sorts the objects of a request; those that cannot be the owner are left out.
    ///
    /// - Parameters:
    ///   - sources: The objects, in any order, which may repeat.
    ///   - owner: The entity that declares the relationship.
    ///   - model: The model.
    ///   - store: The store.
    package init(
        _ sources: [ManagedObjectID], owner: EntityID, model: ManagedObjectModel,
        store: StoreHandle
    ) {
        let family = Set(model[owner].family)
        var places: [Int] = []
        for (place, id) in sources.enumerated() {
            guard id.store == store, id.key > 0,
                let entity = model.entity(for: id.entityHandle), family.contains(entity.id)
            else { continue }
            places.append(place)
        }
        places.sort { sources[$0].key < sources[$1].key }
        var keys: [Int64] = []
        for place in places where sources[place].key != keys.last {
            keys.append(sources[place].key)
        }
        self.places = places
        self.keys = keys
    }
}
