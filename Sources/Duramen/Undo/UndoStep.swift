import DuramenModel

/// The changes of one event, with the state before it: enough to undo them, and no more.
///
/// A step retains its objects, so that they are notified of other saves and keep their identity.
/// Lists of members are IDs.
struct UndoStep {
    /// A deletion of the event.
    struct Deletion {
        let object: ManagedObject
        /// The destinations of the to-ones.
        var destinations: [(slot: Int, destination: ManagedObject)] = []
        /// The members of to-manys that their inverses do not restore, by to-many index. These are
        /// members of many-to-manys, and members that delete rules let refer to a deleted object.
        var members: [(index: Int, ids: [ManagedObjectID])] = []
        /// The objects that the same event had separated from it, so that its rules did not reach
        /// them.
        var separated: [ManagedObject] = []
    }

    /// The other changes of one object.
    struct Edit {
        let object: ManagedObject
        /// The attributes and to-ones that changed.
        var slots: [Int] = []
        /// The previous values of these slots only.
        var row: Row?
        /// The previous destinations of changed to-ones, by slot.
        var destinations: [Int: ManagedObject] = [:]
        var transients: [Int: TransientBefore] = [:]
        /// The previous members of ordered to-manys, by to-many index.
        var lists: [Int: [ManagedObjectID]] = [:]

        var isEmpty: Bool { slots.isEmpty && transients.isEmpty && lists.isEmpty }

        /// The previous partners of one-to-ones, which must refer back again.
        var partners: [ManagedObject] {
            destinations.compactMap { slot, end in
                object.plan.references[slot]?.inverse.isToMany == false ? end : nil
            }
        }
    }

    /// Whether the step redoes changes that were undone.
    var isRedo = false
    /// The objects that the event inserted.
    var insertions: [ManagedObject] = []
    /// For objects that are deleted again, the objects that their rules must not reach.
    var separated: [ManagedObject: [ManagedObject]] = [:]
    var deletions: [Deletion] = []
    var edits: [Edit] = []
    /// The many-to-many pairs, and whether they existed.
    var pairs: [(edge: EdgeKey, wasThere: Bool)] = []

    var isEmpty: Bool {
        insertions.isEmpty && deletions.isEmpty && edits.isEmpty && pairs.isEmpty
    }

    /// All objects of the step.
    var objects: [ManagedObject] {
        insertions + deletions.map(\.object) + edits.map(\.object)
            + pairs.flatMap { [$0.edge.source, $0.edge.destination] }
    }
}

/// The state of a transient attribute before it was set.
struct TransientBefore {
    /// The value; nil if it was neither set nor read yet.
    var value: Any?
    /// The set of values that it belongs to; each save creates a new one.
    var values: TransientValues
    /// Whether it was set since the last save.
    var wasEdited: Bool
}

extension UndoStep.Deletion {
    /// Records an object's relationships before its delete rules are applied.
    ///
    /// - Parameters:
    ///   - object: The object.
    ///   - row: The row with the destinations of its to-ones.
    ///   - part: The part of the object.
    init(of object: ManagedObject, from row: Row?, in part: ContextPart) {
        self.object = object
        if let row {
            for reference in object.plan.toOnes {
                let id = object.destinationID(of: reference, in: row)
                guard let destination = id.flatMap(part.registerFault) else { continue }
                destinations.append((reference.slot, destination))
            }
        }
        for (index, relationship) in object.plan.toManys.enumerated() {
            let rule = relationship.deleteRule
            if relationship.isManyToMany || rule == .deny || rule == .noAction {
                members.append((index, object.members(at: index)))
            }
        }
    }
}

extension UndoStep.Deletion {
    /// Destinations that others assigned to the restored object's to-ones since. The deletion did
    /// not reach these, and must not reach them when it is redone.
    var destinationsSince: [ManagedObject] {
        if !object.isThere { return [] }
        return object.plan.toOnes.compactMap { reference in
            guard reference.relationship.reachesDestinations,
                let end = object.destination(of: reference)
            else { return nil }
            let isKnown = destinations.contains {
                $0.slot == reference.slot && $0.destination === end
            }
            return isKnown ? nil : end
        }
    }
}

extension Relationship {
    /// Whether the delete rule deletes the destinations, or denies the deletion because of them.
    var reachesDestinations: Bool { deleteRule == .cascade || deleteRule == .deny }

    /// Whether the relationship is a many-to-many.
    var isManyToMany: Bool { if case .manyToMany = storage { true } else { false } }
}

extension EdgeKey {
    /// The index of the pair's to-many at its source.
    var sourceIndex: Int? {
        source.plan.own(source.plan.handle.model[relationship])?.storage.toManyIndex
    }
}
