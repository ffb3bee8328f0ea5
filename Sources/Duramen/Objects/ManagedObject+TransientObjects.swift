import DuramenModel

// Transient relationships. Each is a transient attribute that holds IDs of objects of the context.
// It is not stored, and has no inverse and no delete rule. Undo and validation treat it as they
// treat other transient attributes.
extension ManagedObject {
    /// Returns the destination of a transient to-one, or nil if there is none or it was deleted.
    ///
    /// - Complexity: Reads a row where the object is not registered.
    public final func transientToOne<Destination: ManagedObject>(at index: Int) -> Destination? {
        reportRead(transient: index)
        return transientObjects(at: index).first as? Destination
    }

    /// Changes a transient to-one.
    ///
    /// An object of another context ends the process, as in ``setToOne(_:at:)``.
    public final func setTransientToOne(_ object: ManagedObject?, at index: Int) {
        setTransientValue(
            destinations(object.map { [$0] } ?? [], isToMany: false), at: index)
    }

    /// Reads a transient to-many: its objects in the order in which they were set. Deleted objects
    /// are left out.
    public final func transientToMany<Destination: ManagedObject>(at index: Int) -> [Destination] {
        reportRead(transient: index)
        return transientObjects(at: index).compactMap { $0 as? Destination }
    }

    /// Changes a transient to-many. An object that is given twice is kept once.
    ///
    /// An object of another context ends the process, as in ``setToOne(_:at:)``.
    public final func setTransientToMany(_ objects: some Sequence<ManagedObject>, at index: Int) {
        setTransientValue(destinations(Array(objects), isToMany: true), at: index)
    }

    private final func transientObjects(at index: Int) -> [ManagedObject] {
        (extra?.transients?.current[index] as? TransientDestinations).map(objects) ?? []
    }

    /// The value of a transient relationship by key: an object or nil, or an array of objects.
    final func keyedValue(of destinations: TransientDestinations) -> Any? {
        let objects = objects(of: destinations)
        return destinations.isToMany ? objects : objects.first
    }

    /// The IDs to keep for a value that was set by key; nil when the value holds no objects.
    ///
    /// An empty collection is kept as it is: it may be one of anything.
    final func destinations(of value: Any?) -> TransientDestinations? {
        switch value {
        case let object as ManagedObject: destinations([object], isToMany: false)
        case let objects as [ManagedObject] where !objects.isEmpty:
            destinations(objects, isToMany: true)
        case let objects as Set<ManagedObject> where !objects.isEmpty:
            destinations(Array(objects), isToMany: true)
        default: nil
        }
    }

    private final func destinations(
        _ objects: [ManagedObject], isToMany: Bool
    ) -> TransientDestinations {
        let part = plan.handle.part(for: self)
        var known: Set<ManagedObjectID> = []
        var ids: [ManagedObjectID] = []
        for object in objects {
            part.requireOwn(object, relatedTo: self)
            if known.insert(object.objectID).inserted { ids.append(object.objectID) }
        }
        return TransientDestinations(ids: ids, isToMany: isToMany)
    }

    private final func objects(of destinations: TransientDestinations) -> [ManagedObject] {
        let part = plan.handle.part(for: self)
        return destinations.ids.compactMap { id in
            if let known = part.registeredObject(for: id) {
                return known.flags.isDisjoint(with: [.gone, .deleted]) ? known : nil
            }
            // The row may be gone since the ID was set.
            guard let object = part.registerFault(id) else { return nil }
            do {
                try object.load()
            } catch let error as ContextError where error.code == .objectNotFound {
                return nil
            } catch {
                // The object may be there. Reading one of its properties reports the error.
            }
            return object
        }
    }
}

/// The destinations of a transient relationship, by their IDs: objects that hold each other would
/// never be freed.
struct TransientDestinations {
    let ids: [ManagedObjectID]
    let isToMany: Bool
}
