import DuramenModel

/// Which derived attributes depend on what, by entity.
struct DerivationPlan: Sendable {
    /// A slot that derived attributes of other objects are computed from.
    struct Watch: Sendable {
        /// The slot, in rows of the entity that has the watch.
        let slot: Int
        /// From such a row back to the objects with the attribute.
        let back: [RelationshipID]
        /// The place of the derivation among the model's.
        let derivation: Int
    }

    /// What depends on the rows of one entity.
    struct Place: Sendable {
        /// The derived attributes of its own rows, by their place among the model's derivations.
        var own: [Int] = []
        var watches: [Watch] = []
        /// Derived attributes that are computed from to-manys with its rows in them.
        var memberships: [Int] = []
        /// The slots that ``own`` fills.
        var derivedSlots = SlotSet()

        var isConcerned: Bool { !(own.isEmpty && watches.isEmpty && memberships.isEmpty) }
    }

    let derivations: [Derivation]
    private(set) var places: [Place]
    /// Derived attributes that are computed from pairs of a many-to-many, by either of its sides.
    private(set) var byPairs: [RelationshipID: [Int]] = [:]
    /// The relationships that are walked over from their far ends, or whose destinations are read.
    private(set) var toManys: Set<RelationshipID> = []

    init(_ model: ManagedObjectModel) {
        derivations = model.derivations
        places = Array(repeating: Place(), count: model.entities.count)
        for (index, derivation) in derivations.enumerated() {
            for member in model[derivation.entity].family {
                places[member.index].own.append(index)
                places[member.index].derivedSlots.insert(derivation.attribute.slot)
            }
            if let members = derivation.members {
                watchMembers(members, derivation, index, model)
            } else {
                watchPath(derivation, index, model)
            }
        }
    }

    private mutating func watchPath(
        _ derivation: Derivation, _ index: Int, _ model: ManagedObjectModel
    ) {
        var back: [RelationshipID] = []
        for (place, toOne) in derivation.toOnes.enumerated() {
            back.insert(toOne.inverse, at: 0)
            let next =
                place + 1 < derivation.toOnes.count
                ? derivation.toOnes[place + 1].slot : derivation.source?.slot
            guard let next else { continue }
            for member in model[toOne.destination].family {
                places[member.index].watches.append(
                    Watch(slot: next, back: back, derivation: index))
            }
        }
        toManys.formUnion(back.filter { model[$0].isToMany })
    }

    private mutating func watchMembers(
        _ members: Relationship, _ derivation: Derivation, _ index: Int,
        _ model: ManagedObjectModel
    ) {
        toManys.insert(members.id)
        if case .manyToMany = members.storage {
            toManys.insert(members.inverse)
            for side in Set([members.id, members.inverse]) {
                byPairs[side, default: []].append(index)
            }
        }
        for member in model[members.destination].family {
            places[member.index].memberships.append(index)
            if let source = derivation.source {
                places[member.index].watches.append(
                    Watch(slot: source.slot, back: [members.inverse], derivation: index))
            }
        }
    }
}
