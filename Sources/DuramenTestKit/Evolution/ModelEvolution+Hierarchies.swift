import DuramenModel
import DuramenStore

/// Edits of entities and of inheritance.
extension ModelEvolution {
    mutating func moveUp() -> Bool {
        let world = world
        let found = attribute { attribute in attribute.type != .composite }
        guard let (place, number) = found, let parent = world.entities[place].superentity else {
            return false
        }
        let entity = world.entities[place]
        let attribute = entity.attributes[number]
        if isConstrained(entity, attribute.name) { return false }
        let owner = world.index(of: parent)
        // Siblings must not have an attribute with this name.
        if world.entities.contains(where: { other in
            other.name != entity.name && world.isKind(other.name, of: parent)
                && other.attributes.contains { $0.name == attribute.name }
        }) {
            return false
        }
        self.world.entities[place].attributes.remove(at: number)
        self.world.entities[place].indexes.removeAll { index in
            index.elements.contains { $0.property == attribute.name }
        }
        self.world.entities[owner].attributes.append(attribute)
        touch(parent, attribute.name)
        let had = Set(world.members(of: entity.name))
        for member in world.members(of: parent) where !had.contains(member) {
            let value = attribute.defaultValue
            self.world.objects[member]?.values[attribute.name] = value.isNull ? nil : value
        }
        return true
    }

    mutating func moveDown() -> Bool {
        guard let (place, number) = attribute(where: { $0.type != .composite }) else {
            return false
        }
        let entity = world.entities[place]
        let attribute = entity.attributes[number]
        guard !isConstrained(entity, attribute.name),
            let child = world.children(of: entity.name).randomElement(using: &random)
        else { return false }
        world.entities[place].attributes.remove(at: number)
        world.entities[place].indexes.removeAll { index in
            index.elements.contains { $0.property == attribute.name }
        }
        let owner = world.index(of: child)
        world.entities[owner].attributes.append(attribute)
        touch(child, attribute.name)
        let keeps = Set(world.members(of: child))
        for member in world.members(of: entity.name) where !keeps.contains(member) {
            world.objects[member]?.values[attribute.name] = nil
        }
        return true
    }

    mutating func addEntity() -> Bool {
        if world.entities.count >= 7 { return false }
        var parent: String?
        if oneIn(2) { parent = entity().map { world.entities[$0].name } }
        let value = EvolutionValues.value(.string, &random)
        let name = fresh("E")
        world.entities.append(
            EntityDescription(
                name: name, superentity: parent,
                attributes: [AttributeDescription(fresh("a"), .string, default: value)]))
        touched.insert(name)
        return true
    }

    mutating func removeEntity() -> Bool {
        guard world.entities.count > 2, let place = entity() else { return false }
        let entity = world.entities[place]
        if !world.children(of: entity.name).isEmpty || touched.contains(entity.name) {
            return false
        }
        // Relationships from and to the entity are removed too.
        for (owner, other) in world.entities.enumerated() {
            for relationship in other.relationships
            where relationship.destination == entity.name || owner == place {
                if touched.contains("\(other.name).\(relationship.name)") { return false }
            }
        }
        let members = Set(world.members(of: entity.name))
        for (owner, other) in world.entities.enumerated() {
            for relationship in other.relationships
            where relationship.destination == entity.name {
                drop(relationship.name, of: owner)
            }
        }
        for relationship in world.entities[place].relationships {
            drop(relationship.name, of: place)
        }
        let last = world.index(of: entity.name)
        world.entities.remove(at: last)
        for member in members { world.objects[member] = nil }
        for number in world.objects.keys {
            for (name, destination) in world.objects[number]?.toOnes ?? [:]
            where members.contains(destination) {
                world.objects[number]?.toOnes[name] = nil
            }
            for (name, list) in world.objects[number]?.toManys ?? [:] {
                let rest = list.filter { !members.contains($0.key) }
                world.objects[number]?.toManys[name] = rest.isEmpty ? nil : rest
            }
        }
        return true
    }

    mutating func renameEntity() -> Bool {
        guard let place = entity() else { return false }
        let old = world.entities[place]
        // Recorded changes of its properties would be lost.
        if touched.contains(where: { $0 == old.name || $0.hasPrefix(old.name + ".") }) {
            return false
        }
        count += 1
        let name = "R\(count)"
        world.entities[place].name = name
        world.entities[place].renamingIdentifier = old.renamingIdentifier ?? old.name
        for other in world.entities.indices {
            if world.entities[other].superentity == old.name {
                world.entities[other].superentity = name
            }
            for number in world.entities[other].relationships.indices
            where world.entities[other].relationships[number].destination == old.name {
                world.entities[other].relationships[number].destination = name
            }
        }
        for number in world.objects.keys where world.objects[number]?.entity == old.name {
            world.objects[number]?.entity = name
        }
        touched.insert(name)
        return true
    }

    mutating func makeAbstract() -> Bool {
        guard let place = entity(), !world.entities[place].isAbstract,
            !world.children(of: world.entities[place].name).isEmpty, oneIn(2),
            touched.insert(world.entities[place].name + " is abstract").inserted
        else { return false }
        world.entities[place].isAbstract = true
        let name = world.entities[place].name
        if world.objects.values.contains(where: { $0.entity == name }) {
            refusal = .valuesDoNotFit
        }
        return true
    }

    mutating func makeConcrete() -> Bool {
        guard let place = entity(), world.entities[place].isAbstract,
            touched.insert(world.entities[place].name + " is abstract").inserted
        else { return false }
        world.entities[place].isAbstract = false
        return true
    }

    /// Adds an entity between an entity and its parent, or above a root.
    mutating func addParent() -> Bool {
        guard world.entities.count < 8, let place = entity() else { return false }
        let entity = world.entities[place]
        if touched.contains(entity.name) { return false }
        let name = fresh("P")
        world.entities[place].superentity = name
        world.entities.append(
            EntityDescription(
                name: name, superentity: entity.superentity, isAbstract: oneIn(2)))
        touched.formUnion([name, entity.name])
        return true
    }

    mutating func removeParent() -> Bool {
        guard let place = entity() else { return false }
        let entity = world.entities[place]
        if touched.contains(entity.name) || world.children(of: entity.name).isEmpty { return false }
        if !entity.attributes.isEmpty || !entity.relationships.isEmpty
            || !entity.uniquenessConstraints.isEmpty
            || world.objects.values.contains(where: { $0.entity == entity.name })
            || world.entities.contains(where: { other in
                other.relationships.contains { $0.destination == entity.name }
            })
        {
            return false
        }
        for other in world.entities.indices
        where world.entities[other].superentity == entity.name {
            // The edit may make uniqueness ambiguous, so no other edit may touch the entity.
            world.entities[other].superentity = entity.superentity
            touched.insert(world.entities[other].name)
        }
        world.entities.remove(at: world.index(of: entity.name))
        return true
    }

    /// Moves a root below an entity of another hierarchy, which is refused: their keys may be
    /// equal.
    mutating func joinHierarchies() -> Bool {
        guard let place = entity(), let other = entity(), oneIn(4) else { return false }
        let (root, parent) = (world.entities[place], world.entities[other].name)
        if root.superentity != nil || world.isKind(parent, of: root.name)
            || !touched.isDisjoint(with: world.entities.map(\.name))
        {
            return false
        }
        world.entities[place].superentity = parent
        touched.formUnion(world.entities.map(\.name))
        refusal = .notInferable
        return true
    }
}
