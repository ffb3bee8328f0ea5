import DuramenModel

/// What one event changed, as it was before: enough to put it back, and no more.
///
/// A step holds the objects that it is about, so that they are told of what others save, and keep
/// their identity. Lists of members are IDs.
struct UndoStep {
    /// A deletion of the event.
    struct Deletion {
        let object: ManagedObject
        /// Where the to-ones led.
        var destinations: [(slot: Int, destination: ManagedObject)] = []
        /// The members of to-manys that the other ends do not put back: of many-to-manys, and those
        /// that delete rules let lead to what is deleted. By the index of the to-many.
        var members: [(index: Int, ids: [ManagedObjectID])] = []
        /// What the same event had separated from it, so that its rules did not reach it.
        var separated: [ManagedObject] = []
    }

    /// Other changes of one object.
    struct Edit {
        let object: ManagedObject
        /// The attributes and to-ones that changed.
        var slots: [Int] = []
        /// The values that these had; nothing else.
        var row: Row?
        /// Where those of them that are to-ones led.
        var destinations: [Int: ManagedObject] = [:]
        var transients: [Int: TransientBefore] = [:]
        /// The members of ordered to-manys, by the index of the to-many.
        var lists: [Int: [ManagedObjectID]] = [:]

        var isEmpty: Bool { slots.isEmpty && transients.isEmpty && lists.isEmpty }

        /// Where one-to-ones led, whose ends learn that they lead there again.
        var partners: [ManagedObject] {
            destinations.compactMap { slot, end in
                object.plan.references[slot]?.inverse.isToMany == false ? end : nil
            }
        }
    }

    /// Whether it makes changes again that were taken back.
    var isRedo = false
    /// Objects that are there since.
    var insertions: [ManagedObject] = []
    /// Of those that are deleted again: what their rules are not to reach.
    var separated: [ManagedObject: [ManagedObject]] = [:]
    var deletions: [Deletion] = []
    var edits: [Edit] = []
    /// Pairs of many-to-manys, and whether they were there.
    var pairs: [(edge: EdgeKey, wasThere: Bool)] = []

    var isEmpty: Bool {
        insertions.isEmpty && deletions.isEmpty && edits.isEmpty && pairs.isEmpty
    }

    /// All objects that the step is about.
    var objects: [ManagedObject] {
        insertions + deletions.map(\.object) + edits.map(\.object)
            + pairs.flatMap { [$0.edge.source, $0.edge.destination] }
    }
}

/// A transient attribute before it was set.
struct TransientBefore {
    /// Nil when it was neither set nor read yet.
    var value: Any?
    /// The values that it was one of; each save begins others.
    var values: TransientValues
    /// Whether it was set since the last save.
    var wasEdited: Bool
}

extension UndoStep.Deletion {
    /// Notes what an object is related to before its delete rules are applied.
    ///
    /// - Parameter row: The values that say where its to-ones lead.
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
    /// Where to-ones of the object lead, now that it is there again, because others led them there:
    /// the deletion did not reach that, and is not to reach it when it is made again.
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

    /// Whether pairs belong to both ends alike.
    var isManyToMany: Bool { if case .manyToMany = storage { true } else { false } }
}

extension EdgeKey {
    /// The number of the pair's to-many at its source.
    var sourceIndex: Int? {
        source.plan.own(source.plan.handle.model[relationship])?.storage.toManyIndex
    }
}
