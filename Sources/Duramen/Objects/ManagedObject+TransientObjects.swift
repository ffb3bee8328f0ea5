import DuramenModel

// Transient relationships: a transient attribute may lead to objects of the context. Nothing is stored,
// nobody sees an inverse, and no rule follows it. It is undone and validated as other transient attributes are.
extension ManagedObject {
    /// Reads a transient to-one: nil for none, and for an object that is deleted.
    ///
    /// - Complexity: Reads a row where the object is not registered.
    public final func transientToOne<Destination: ManagedObject>(at index: Int) -> Destination? {
        noteRead(transient: index)
        return transientObjects(at: index).first as? Destination
    }

    /// Changes a transient to-one.
    ///
    /// An object of another context ends the process, as in ``setToOne(_:at:)``.
    public final func setTransientToOne(_ object: ManagedObject?, at index: Int) {
        setTransientValue(
            destinations(object.map { [$0] } ?? [], isToMany: false), at: index)
    }

    /// Reads a transient to-many, in the order in which it was given its objects, without those that are deleted.
    public final func transientToMany<Destination: ManagedObject>(at index: Int) -> [Destination] {
        noteRead(transient: index)
        return transientObjects(at: index).compactMap { $0 as? Destination }
    }

    /// Changes a transient to-many. What is in it twice counts once.
    ///
    /// An object of another context ends the process, as in ``setToOne(_:at:)``.
    public final func setTransientToMany(_ objects: some Sequence<ManagedObject>, at index: Int) {
        setTransientValue(destinations(Array(objects), isToMany: true), at: index)
    }

    private final func transientObjects(at index: Int) -> [ManagedObject] {
        (extra?.transients?.current[index] as? TransientDestinations).map(objects) ?? []
    }

    /// What access by key gives for a value that leads to objects.
    final func keyedValue(of destinations: TransientDestinations) -> Any? {
        let objects = objects(of: destinations)
        return destinations.isToMany ? objects : objects.first
    }

    /// What is kept of a value that was set by key; nil when it does not lead to objects.
    final func destinations(of value: Any?) -> TransientDestinations? {
        switch value {
        case let object as ManagedObject: destinations([object], isToMany: false)
        case let objects as [ManagedObject]: destinations(objects, isToMany: true)
        case let objects as Set<ManagedObject>: destinations(Array(objects), isToMany: true)
        default: nil
        }
    }

    private final func destinations(
        _ objects: [ManagedObject], isToMany: Bool
    ) -> TransientDestinations {
        let context = plan.handle.context(for: self)
        var known: Set<ManagedObjectID> = []
        var ids: [ManagedObjectID] = []
        for object in objects {
            context.requireOwn(object, relatedTo: self)
            if known.insert(object.objectID).inserted { ids.append(object.objectID) }
        }
        return TransientDestinations(ids: ids, isToMany: isToMany)
    }

    private final func objects(of destinations: TransientDestinations) -> [ManagedObject] {
        let context = plan.handle.context(for: self)
        return destinations.ids.compactMap { id in
            if let known = context.registeredObject(for: id) {
                return known.flags.isDisjoint(with: [.gone, .deleted]) ? known : nil
            }
            // Nobody told this object that the other one was deleted.
            guard let object = context.registerFault(id) else { return nil }
            do {
                try object.load()
            } catch let error as ContextError where error.code == .objectNotFound {
                return nil
            } catch {
                // Whoever reads it is told.
            }
            return object
        }
    }
}

/// Where a transient relationship leads: IDs, since objects that hold each other would never go.
struct TransientDestinations {
    let ids: [ManagedObjectID]
    let isToMany: Bool
}
