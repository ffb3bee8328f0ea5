import DuramenModel
import DuramenStore

/// Edits other than those of entities and properties.
extension ModelEvolution {
    mutating func addConstraint() -> Bool {
        let world = world
        let found = attribute { attribute in
            attribute.type != .composite && !attribute.allowsExternalBinaryDataStorage
        }
        guard let (place, number) = found, oneIn(2) else { return false }
        let entity = world.entities[place]
        let attribute = entity.attributes[number]
        if isConstrained(entity, attribute.name) { return false }
        self.world.entities[place].uniquenessConstraints.append([attribute.name])
        touch(entity.name, attribute.name)
        var seen: Set<StoredValue> = []
        for member in world.members(of: entity.name) {
            guard let value = world.objects[member]?.values[attribute.name] else { continue }
            if !seen.insert(value).inserted { refusal = .uniquenessViolated }
        }
        return true
    }

    mutating func removeConstraint() -> Bool {
        guard let place = entity(),
            let name = world.entities[place].uniquenessConstraints.first?.first,
            !touched.contains("\(world.entities[place].name).\(name)")
        else { return false }
        world.entities[place].uniquenessConstraints.removeFirst()
        return true
    }

    mutating func touchHash() -> Bool {
        guard let place = entity() else { return false }
        count += 1
        world.entities[place].versionHashModifier = "t\(count)"
        return true
    }

    mutating func changeDefault() -> Bool {
        let found = attribute { !$0.isOptional && $0.type != .composite }
        guard let (place, number) = found else { return false }
        let type = world.entities[place].attributes[number].type
        world.entities[place].attributes[number].defaultValue = EvolutionValues.value(
            type, &random)
        return true
    }

    mutating func addIndex() -> Bool {
        let found = attribute { attribute in
            attribute.type != .composite && !attribute.allowsExternalBinaryDataStorage
        }
        guard let (place, number) = found else { return false }
        count += 1
        let name = world.entities[place].attributes[number].name
        world.entities[place].indexes.append(
            IndexDescription(name: "i\(count)", elements: [IndexDescription.Element(name)]))
        touch(world.entities[place].name, name)
        return true
    }
}
