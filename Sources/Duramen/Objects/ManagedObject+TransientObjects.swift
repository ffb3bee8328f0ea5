import DuramenModel

// Transient relationships. Each is a transient attribute that contains IDs of objects of the
// context. It is not stored, and has no inverse and no delete rule. Undo and validation treat it
// like other transient attributes.
extension ManagedObject {
    /// Returns the destination of a transient to-one, or nil if there is none or it was deleted.
    ///
    /// - Complexity: Loads a row if the object is not registered.
    public final func transientToOne<Destination: ManagedObject>(at index: Int) -> Destination? {
        reportRead(transient: index)
        return transientObjects(at: index).first as? Destination
    }

    /// Sets a transient to-one.
    ///
    /// Traps for an object of another context, like ``setToOne(_:at:)``.
    public final func setTransientToOne(_ object: ManagedObject?, at index: Int) {
        setTransientValue(
            destinations(object.map { [$0] } ?? [], isToMany: false), at: index)
    }

    /// Returns the objects of a transient to-many in the order in which they were set. Deleted
    /// objects are left out.
    public final func transientToMany<Destination: ManagedObject>(at index: Int) -> [Destination] {
        reportRead(transient: index)
        return transientObjects(at: index).compactMap { $0 as? Destination }
    }

    /// Sets a transient to-many. Duplicates are ignored.
    ///
    /// Traps for an object of another context, like ``setToOne(_:at:)``.
    public final func setTransientToMany(_ objects: some Sequence<ManagedObject>, at index: Int) {
        setTransientValue(destinations(Array(objects), isToMany: true), at: index)
    }

    private final func transientObjects(at index: Int) -> [ManagedObject] {
        (extra?.transients?.current[index] as? TransientDestinations).map(objects) ?? []
    }

    /// Returns the value of a transient relationship for key-value access: an object or nil, or an
    /// array.
    final func keyedValue(of destinations: TransientDestinations) -> Any? {
        let objects = objects(of: destinations)
        return destinations.isToMany ? objects : objects.first
    }

    /// Returns the IDs to keep for a value that was set by key; nil if the value contains no
    /// objects.
    ///
    /// An empty collection is kept as it is, because its element type is unknown.
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
            // The row may have been deleted since the ID was set.
            guard let object = part.registerFault(id) else { return nil }
            do {
                try object.load()
            } catch let error as ContextError where error.code == .objectNotFound {
                return nil
            } catch {
                // The object may exist. Reading one of its properties reports the error.
            }
            return object
        }
    }
}

/// The IDs of a transient relationship's destinations: strong references could form cycles that are
/// never freed.
struct TransientDestinations {
    let ids: [ManagedObjectID]
    let isToMany: Bool
}
