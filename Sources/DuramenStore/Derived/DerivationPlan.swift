import DuramenModel

/// The dependencies of derived attributes, by entity.
struct DerivationPlan: Sendable {
    /// A slot from which derived attributes of other objects are computed.
    struct Watch: Sendable {
        /// The slot, in rows of the watched entity.
        let slot: Int
        /// The relationships from the watched row back to the objects with the derived attribute.
        let back: [RelationshipID]
        /// The index of the derivation in the model.
        let derivation: Int
    }

    /// The derived attributes that depend on the rows of one entity.
    struct Place: Sendable {
        /// The derived attributes of the entity itself, by their index among the model's
        /// derivations.
        var own: [Int] = []
        var watches: [Watch] = []
        /// The derived attributes that are computed from to-many relationships to the entity.
        var memberships: [Int] = []
        /// The slots of the derived attributes in ``own``.
        var derivedSlots = SlotSet()

        var isConcerned: Bool { !(own.isEmpty && watches.isEmpty && memberships.isEmpty) }
    }

    let derivations: [Derivation]
    private(set) var places: [Place]
    /// The derived attributes that are computed from many-to-many pairs, by either side.
    private(set) var byPairs: [RelationshipID: [Int]] = [:]
    /// The to-many relationships whose destinations are read.
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
