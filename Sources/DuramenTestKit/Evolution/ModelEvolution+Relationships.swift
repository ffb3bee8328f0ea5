import DuramenModel
import DuramenStore

/// Edits of relationships.
extension ModelEvolution {
    mutating func addRelationship() -> Bool {
        guard let place = entity(), let other = entity() else { return false }
        let (owner, destination) = (world.entities[place].name, world.entities[other].name)
        let (name, back) = (fresh("l"), fresh("m"))
        touch(owner, name)
        touch(destination, back)
        let isMany = oneIn(2)
        if oneIn(4) {
            world.entities[place].relationships.append(
                isMany
                    ? .toMany(name, destination: destination)
                    : .toOne(name, destination: destination))
            return true
        }
        let isBackMany = oneIn(2)
        world.entities[place].relationships.append(
            isMany
                ? .toMany(name, destination: destination, inverse: back, isOrdered: oneIn(3))
                : .toOne(name, destination: destination, inverse: back))
        world.entities[other].relationships.append(
            isBackMany
                ? .toMany(back, destination: owner, inverse: name, isOrdered: oneIn(3))
                : .toOne(back, destination: owner, inverse: name))
        return true
    }

    mutating func drop(_ name: String, of place: Int) {
        let owner = world.entities[place].name
        world.entities[place].relationships.removeAll { $0.name == name }
        goingNames.append(name)
        // Another property that inherits this name in this hop would continue it.
        touch(owner, name)
        for member in world.members(of: owner) {
            world.objects[member]?.toOnes[name] = nil
            world.objects[member]?.toManys[name] = nil
        }
    }

    mutating func removeRelationship() -> Bool {
        guard let (place, number) = relationship(where: { _, _ in true }) else { return false }
        let relationship = world.entities[place].relationships[number]
        if let (other, back) = inverse(relationship) {
            drop(world.entities[other].relationships[back].name, of: other)
        }
        drop(relationship.name, of: place)
        return true
    }

    mutating func renameRelationship() -> Bool {
        guard let (place, number) = relationship(where: { _, _ in true }) else { return false }
        let old = world.entities[place].relationships[number]
        let owner = world.entities[place].name
        count += 1
        let name = "n\(count)"
        if let (other, back) = inverse(old) {
            world.entities[other].relationships[back].inverse = name
        }
        // A relationship that is its own inverse was already renamed there.
        world.entities[place].relationships[number].name = name
        world.entities[place].relationships[number].renamingIdentifier =
            old.renamingIdentifier ?? old.name
        touch(owner, name)
        touch(owner, old.name)
        for member in world.members(of: owner) {
            let toOne = world.objects[member]?.toOnes.removeValue(forKey: old.name)
            world.objects[member]?.toOnes[name] = toOne
            let toMany = world.objects[member]?.toManys.removeValue(forKey: old.name)
            world.objects[member]?.toManys[name] = toMany
        }
        return true
    }

    mutating func toggleOrder() -> Bool {
        let found = relationship { _, relationship in relationship.isToMany }
        guard let (place, number) = found else { return false }
        let relationship = world.entities[place].relationships[number]
        world.entities[place].relationships[number].isOrdered.toggle()
        let owner = world.entities[place].name
        touch(owner, relationship.name)
        if relationship.isOrdered {
            for member in world.members(of: owner) {
                let list = world.objects[member]?.toManys[relationship.name]
                world.objects[member]?.toManys[relationship.name] =
                    list?.mapValues { _ in Int64?.none }
            }
        }
        return true
    }

    /// Changes a to-one with an inverse to a to-many.
    mutating func makeToMany() -> Bool {
        let found = relationship { _, relationship in
            !relationship.isToMany && relationship.inverse != nil
        }
        guard let (place, number) = found else { return false }
        let relationship = world.entities[place].relationships[number]
        guard let (other, back) = inverse(relationship), (other, back) != (place, number) else {
            return false
        }
        let inverse = world.entities[other].relationships[back]
        let owner = world.entities[place].name
        if touched.contains("\(world.entities[other].name).\(inverse.name)") { return false }
        touch(owner, relationship.name)
        touch(world.entities[other].name, inverse.name)
        world.entities[place].relationships[number] = .toMany(
            relationship.name, destination: relationship.destination,
            inverse: relationship.inverse, renamingIdentifier: relationship.renamingIdentifier)
        for member in world.members(of: owner) {
            let destination = world.objects[member]?.toOnes.removeValue(forKey: relationship.name)
            world.objects[member]?.toManys[relationship.name] =
                destination.map { [$0: Int64?.none] }
        }
        return true
    }

    /// Changes the destination of a to-one without an inverse to the parent of the destination.
    mutating func raiseDestination() -> Bool {
        let world = world
        let found = relationship { _, relationship in
            relationship.inverse == nil
                && world.entities[world.index(of: relationship.destination)].superentity != nil
        }
        guard let (place, number) = found else { return false }
        let relationship = world.entities[place].relationships[number]
        let parent = world.entities[world.index(of: relationship.destination)].superentity ?? ""
        if touched.contains(parent) || touched.contains(relationship.destination) { return false }
        self.world.entities[place].relationships[number].destination = parent
        touch(world.entities[place].name, relationship.name)
        return true
    }

    mutating func addInverse() -> Bool {
        let found = relationship { _, relationship in relationship.inverse == nil }
        guard let (place, number) = found else { return false }
        let relationship = world.entities[place].relationships[number]
        let owner = world.entities[place].name
        let other = world.index(of: relationship.destination)
        let back = fresh("b")
        touch(owner, relationship.name)
        touch(relationship.destination, back)
        world.entities[place].relationships[number].inverse = back
        world.entities[other].relationships.append(
            relationship.isToMany
                ? .toOne(back, destination: owner, inverse: relationship.name)
                : .toMany(back, destination: owner, inverse: relationship.name))
        // The inverse gets the existing links.
        for member in world.members(of: owner) {
            guard let object = world.objects[member] else { continue }
            if let destination = object.toOnes[relationship.name] {
                world.objects[destination]?.toManys[back, default: [:]][member] = Int64?.none
            }
            for destination in object.toManys[relationship.name]?.keys.map({ $0 }) ?? [] {
                world.objects[destination]?.toOnes[back] = member
            }
        }
        return true
    }

    mutating func removeInverse() -> Bool {
        let found = relationship { _, relationship in relationship.inverse != nil }
        guard let (place, number) = found else { return false }
        let relationship = world.entities[place].relationships[number]
        guard let (other, back) = inverse(relationship), (other, back) != (place, number) else {
            return false
        }
        let inverse = world.entities[other].relationships[back]
        let owner = world.entities[place].name
        // Without an inverse, a one-to-one or a many-to-many would become another kind.
        if touched.contains("\(world.entities[other].name).\(inverse.name)")
            || inverse.isToMany == relationship.isToMany || inverse.isOrdered
        {
            return false
        }
        touch(owner, relationship.name)
        world.entities[place].relationships[number].inverse = nil
        drop(inverse.name, of: other)
        return true
    }
}
