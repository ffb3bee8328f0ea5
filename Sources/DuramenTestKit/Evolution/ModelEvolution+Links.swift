import DuramenModel
import DuramenStore

/// Edits after which links are kept in another way, or are no longer allowed.
extension ModelEvolution {
    /// A relationship with another one back, neither of which this hop has changed.
    private mutating func pair(
        where isWanted: (RelationshipDescription, RelationshipDescription) -> Bool
    ) -> (forth: (Int, Int), back: (Int, Int))? {
        let known = self
        let found = relationship { _, relationship in
            guard let (other, back) = known.inverse(relationship) else { return false }
            let inverse = known.world.entities[other].relationships[back]
            return inverse.inverse == relationship.name && inverse.name != relationship.name
                && !known.touched.contains("\(known.world.entities[other].name).\(inverse.name)")
                && isWanted(relationship, inverse)
        }
        guard let found, let back = inverse(world.entities[found.0].relationships[found.1]) else {
            return nil
        }
        touch(world.entities[found.0].name, world.entities[found.0].relationships[found.1].name)
        touch(world.entities[back.0].name, world.entities[back.0].relationships[back.1].name)
        return (found, back)
    }

    /// The relationship itself, as it would be if it led to one or to many.
    private func changed(_ old: RelationshipDescription, isToMany: Bool) -> RelationshipDescription
    {
        isToMany
            ? .toMany(
                old.name, destination: old.destination, inverse: old.inverse,
                renamingIdentifier: old.renamingIdentifier)
            : .toOne(
                old.name, destination: old.destination, inverse: old.inverse,
                renamingIdentifier: old.renamingIdentifier)
    }

    /// Lets every member of an entity lead to the only one that it led to.
    private mutating func keepOnly(_ name: String, of entity: String) {
        for member in world.members(of: entity) {
            let many = world.objects[member]?.toManys.removeValue(forKey: name) ?? [:]
            if many.count > 1 { refusal = .valuesDoNotFit }
            world.objects[member]?.toOnes[name] = many.keys.first
        }
    }

    /// A to-many with any relationship back leads to one.
    mutating func makeToOne() -> Bool {
        guard let (forth, _) = pair(where: { relationship, _ in relationship.isToMany }) else {
            return false
        }
        let old = world.entities[forth.0].relationships[forth.1]
        world.entities[forth.0].relationships[forth.1] = changed(old, isToMany: false)
        keepOnly(old.name, of: world.entities[forth.0].name)
        return true
    }

    /// A to-one becomes a to-many, and the to-many back a to-one.
    mutating func turnAround() -> Bool {
        let found = pair { relationship, inverse in !relationship.isToMany && inverse.isToMany }
        guard let (forth, back) = found else { return false }
        let (one, many) = (
            world.entities[forth.0].relationships[forth.1],
            world.entities[back.0].relationships[back.1]
        )
        world.entities[forth.0].relationships[forth.1] = changed(one, isToMany: true)
        world.entities[back.0].relationships[back.1] = changed(many, isToMany: false)
        for member in world.members(of: world.entities[forth.0].name) {
            let destination = world.objects[member]?.toOnes.removeValue(forKey: one.name)
            if let destination { world.objects[member]?.toManys[one.name] = [destination: nil] }
        }
        keepOnly(many.name, of: world.entities[back.0].name)
        return true
    }

    /// A relationship without a way back leads to a child of its destination.
    mutating func lowerDestination() -> Bool {
        let world = world
        let found = relationship { _, relationship in
            relationship.inverse == nil && !world.children(of: relationship.destination).isEmpty
        }
        guard let (place, number) = found else { return false }
        let relationship = world.entities[place].relationships[number]
        guard
            let child = world.children(of: relationship.destination).randomElement(using: &random),
            !touched.contains(child), !touched.contains(relationship.destination)
        else { return false }
        self.world.entities[place].relationships[number].destination = child
        touch(world.entities[place].name, relationship.name)
        for object in world.members(of: world.entities[place].name).compactMap({ world.objects[$0] }
        ) {
            let linked =
                [object.toOnes[relationship.name]].compactMap { $0 }
                + (object.toManys[relationship.name] ?? [:]).keys
            for member in linked {
                let entity = world.objects[member]?.entity ?? ""
                if !world.isKind(entity, of: child) { refusal = .valuesDoNotFit }
            }
        }
        return true
    }

    /// Both ends of a pair get new partners.
    mutating func changeInverse() -> Bool {
        guard let (forth, back) = pair(where: { _, _ in true }) else { return false }
        let (one, other) = (
            world.entities[forth.0].relationships[forth.1],
            world.entities[back.0].relationships[back.1]
        )
        let (owner, destination) = (world.entities[forth.0].name, world.entities[back.0].name)
        let (first, second) = (fresh("p"), fresh("q"))
        touch(owner, second)
        touch(destination, first)
        world.entities[forth.0].relationships[forth.1].inverse = first
        world.entities[back.0].relationships[back.1].inverse = second
        world.entities[back.0].relationships.append(
            .toMany(first, destination: owner, inverse: one.name))
        world.entities[forth.0].relationships.append(
            .toMany(second, destination: destination, inverse: other.name))
        for member in world.members(of: owner) {
            guard let object = world.objects[member] else { continue }
            if object.toOnes[one.name] != nil || object.toManys[one.name]?.isEmpty == false {
                refusal = .valuesDoNotFit
            }
        }
        return true
    }
}
