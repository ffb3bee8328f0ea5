import DuramenModel
import DuramenStore

/// Edits after which links are stored differently, or are no longer allowed.
extension ModelEvolution {
    /// A relationship with its inverse, neither of which this hop has changed.
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

    /// The relationship as a to-one or a to-many.
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

    /// Replaces a to-many of each object with a to-one to its only member.
    private mutating func keepOnly(_ name: String, of entity: String) {
        for member in world.members(of: entity) {
            let many = world.objects[member]?.toManys.removeValue(forKey: name) ?? [:]
            if many.count > 1 { refusal = .valuesDoNotFit }
            world.objects[member]?.toOnes[name] = many.keys.first
        }
    }

    /// Changes a to-many with any inverse to a to-one.
    mutating func makeToOne() -> Bool {
        guard let (forth, _) = pair(where: { relationship, _ in relationship.isToMany }) else {
            return false
        }
        let old = world.entities[forth.0].relationships[forth.1]
        world.entities[forth.0].relationships[forth.1] = changed(old, isToMany: false)
        keepOnly(old.name, of: world.entities[forth.0].name)
        return true
    }

    /// Changes a to-one to a to-many, and its inverse to a to-one.
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

    /// Changes the destination of a relationship without an inverse to a child of the destination.
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

    // MARK: - Up and down

    /// Adds relationships with equal names and without inverses to two children.
    mutating func addTwinLinks() -> Bool {
        let parents = world.entities.map(\.name).filter { world.children(of: $0).count > 1 }
        guard let parent = parents.randomElement(using: &random), let other = entity() else {
            return false
        }
        let destination = world.entities[other].name
        let (name, isMany, isOrdered) = (fresh("t"), oneIn(2), oneIn(2))
        for child in world.children(of: parent).shuffled(using: &random).prefix(2) {
            world.entities[world.index(of: child)].relationships.append(
                isMany
                    ? .toMany(name, destination: destination, isOrdered: isOrdered)
                    : .toOne(name, destination: destination))
            touch(child, name)
        }
        return true
    }

    /// Moves a relationship without an inverse to the parent, with those of equal name in other
    /// children.
    mutating func moveLinkUp() -> Bool {
        let found = relationship { entity, relationship in
            relationship.inverse == nil && entity.superentity != nil
        }
        guard let (place, number) = found,
            let parent = world.entities[place].superentity
        else { return false }
        let moved = world.entities[place].relationships[number]
        let owners = world.children(of: parent).filter { child in
            world.entities[world.index(of: child)].relationships.contains { $0.name == moved.name }
        }
        for owner in owners {
            let place = world.index(of: owner)
            if touched.contains("\(owner).\(moved.name)") || touched.contains(owner) {
                return false
            }
            let other = world.entities[place].relationships.first { $0.name == moved.name }
            guard other?.isToMany == moved.isToMany, other?.destination == moved.destination,
                other?.isOrdered == moved.isOrdered, other?.inverse == nil
            else { return false }
        }
        // The parent's relationship would be merged with a renamed one of another descendant.
        func allNames(_ relationship: RelationshipDescription) -> [String] {
            [relationship.name, relationship.renamingIdentifier].compactMap(\.self)
        }
        let names = Set(allNames(moved))
        let isUsedBelow = world.entities.contains { entity in
            world.isKind(entity.name, of: parent) && entity.name != parent
                && !owners.contains(entity.name)
                && (names.contains { touched.contains("\(entity.name).\($0)") }
                    || entity.relationships.contains { !names.isDisjoint(with: allNames($0)) })
        }
        if isUsedBelow { return false }
        if touched.contains(parent) { return false }
        for owner in owners {
            world.entities[world.index(of: owner)].relationships.removeAll { $0.name == moved.name }
            touch(owner, moved.name)
        }
        world.entities[world.index(of: parent)].relationships.append(moved)
        touch(parent, moved.name)
        // An object may be in one collection only.
        var seen: Set<Int> = []
        for member in world.members(of: parent) {
            for destination in (world.objects[member]?.toManys[moved.name] ?? [:]).keys
            where !seen.insert(destination).inserted {
                refusal = .valuesDoNotFit
            }
        }
        return true
    }

    /// Moves a relationship without an inverse to all children; objects of the parent lose it.
    mutating func moveLinkDown() -> Bool {
        let world = world
        let found = relationship { entity, relationship in
            relationship.inverse == nil && !world.children(of: entity.name).isEmpty
        }
        guard let (place, number) = found else { return false }
        let parent = world.entities[place].name
        let moved = world.entities[place].relationships[number]
        let children = world.children(of: parent)
        if touched.contains(parent) || children.contains(where: { touched.contains($0) }) {
            return false
        }
        self.world.entities[place].relationships.remove(at: number)
        touch(parent, moved.name)
        for child in children {
            self.world.entities[world.index(of: child)].relationships.append(moved)
            touch(child, moved.name)
        }
        for (number, object) in world.objects where object.entity == parent {
            self.world.objects[number]?.toOnes[moved.name] = nil
            self.world.objects[number]?.toManys[moved.name] = nil
        }
        return true
    }

    /// Gives both sides of a pair new inverses.
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
