import DuramenModel
import DuramenStore

/// Edits of attributes.
extension ModelEvolution {
    mutating func addAttribute(isMandatory: Bool) -> Bool {
        guard let place = entity(), let type = EvolutionValues.types.randomElement(using: &random)
        else { return false }
        var value = StoredValue.null
        if isMandatory || oneIn(3) { value = EvolutionValues.value(type, &random) }
        let attribute = AttributeDescription(
            fresh("a"), type, isOptional: !isMandatory, default: value,
            allowsExternalBinaryDataStorage: type == .binaryData && oneIn(2))
        world.entities[place].attributes.append(attribute)
        let name = world.entities[place].name
        touch(name, attribute.name)
        set(attribute.name, of: name) { _ in value.isNull ? nil : value }
        return true
    }

    mutating func removeAttribute() -> Bool {
        guard let (place, number) = attribute(where: { _ in true }) else { return false }
        let entity = world.entities[place]
        let attribute = entity.attributes[number]
        if isConstrained(entity, attribute.name) { return false }
        world.entities[place].indexes.removeAll { index in
            index.elements.contains { $0.property == attribute.name }
        }
        world.entities[place].attributes.remove(at: number)
        goingNames.append(attribute.name)
        for member in world.members(of: entity.name) {
            for name in world.objects[member]?.values.keys.map({ $0 }) ?? []
            where name == attribute.name || name.hasPrefix(attribute.name + ".") {
                world.objects[member]?.values[name] = nil
            }
        }
        return true
    }

    mutating func renameAttribute() -> Bool {
        guard let (place, number) = attribute(where: { _ in true }) else { return false }
        let entity = world.entities[place]
        let old = entity.attributes[number]
        if isConstrained(entity, old.name) { return false }
        count += 1
        let name = "r\(count)"
        world.entities[place].attributes[number].name = name
        // The canonical name is kept through all versions.
        world.entities[place].attributes[number].renamingIdentifier =
            old.renamingIdentifier ?? old.name
        world.entities[place].indexes.removeAll { index in
            index.elements.contains { $0.property == old.name }
        }
        touch(entity.name, name)
        for member in world.members(of: entity.name) {
            for known in world.objects[member]?.values.keys.map({ $0 }) ?? []
            where known == old.name || known.hasPrefix(old.name + ".") {
                let value = world.objects[member]?.values.removeValue(forKey: known)
                world.objects[member]?.values[name + known.dropFirst(old.name.count)] = value
            }
        }
        return true
    }

    mutating func makeMandatory() -> Bool {
        let found = attribute { $0.isOptional && $0.type != .composite }
        guard let (place, number) = found else { return false }
        let entity = world.entities[place]
        var attribute = entity.attributes[number]
        if isConstrained(entity, attribute.name) { return false }
        attribute.isOptional = false
        if attribute.defaultValue.isNull {
            attribute.defaultValue = EvolutionValues.value(attribute.type, &random)
        }
        world.entities[place].attributes[number] = attribute
        touch(entity.name, attribute.name)
        set(attribute.name, of: entity.name) { $0 ?? attribute.defaultValue }
        return true
    }

    mutating func makeOptional() -> Bool {
        let found = attribute { !$0.isOptional && $0.type != .composite }
        guard let (place, number) = found else { return false }
        world.entities[place].attributes[number].isOptional = true
        touch(world.entities[place].name, world.entities[place].attributes[number].name)
        return true
    }

    mutating func changeType() -> Bool {
        let found = attribute { !EvolutionValues.targets(of: $0.type).isEmpty }
        guard let (place, number) = found else { return false }
        let entity = world.entities[place]
        var attribute = entity.attributes[number]
        if isConstrained(entity, attribute.name) { return false }
        guard
            let type = EvolutionValues.targets(of: attribute.type).randomElement(using: &random)
        else { return false }
        // Not every text is a URI that can be a default.
        guard let value = EvolutionValues.converted(attribute.defaultValue, to: type),
            type != .uri || value.isNull
        else { return false }
        attribute.defaultValue = value
        attribute.type = type
        world.entities[place].attributes[number] = attribute
        touch(entity.name, attribute.name)
        for member in world.members(of: entity.name) {
            guard let value = world.objects[member]?.values[attribute.name] else { continue }
            if let converted = EvolutionValues.converted(value, to: type) {
                world.objects[member]?.values[attribute.name] = converted
            } else {
                refusal = .valuesDoNotFit
            }
        }
        return true
    }

    mutating func toggleExternalStorage() -> Bool {
        let found = attribute { $0.type == .binaryData }
        guard let (place, number) = found else { return false }
        let entity = world.entities[place]
        if isConstrained(entity, entity.attributes[number].name)
            || entity.indexes.contains(where: { index in
                index.elements.contains { $0.property == entity.attributes[number].name }
            })
        {
            return false
        }
        world.entities[place].attributes[number].allowsExternalBinaryDataStorage.toggle()
        touch(entity.name, entity.attributes[number].name)
        return true
    }

    mutating func addComposite() -> Bool {
        guard let place = entity() else { return false }
        let name = fresh("c")
        let value = EvolutionValues.value(.integer32, &random)
        world.entities[place].attributes.append(
            .composite(
                name, isOptional: true,
                elements: [
                    AttributeDescription("x", .integer32, isOptional: true, default: value),
                    AttributeDescription("y", .string, isOptional: true),
                ]))
        touch(world.entities[place].name, name)
        set("\(name).x", of: world.entities[place].name) { _ in value }
        return true
    }

    mutating func renameElement() -> Bool {
        guard let (place, number) = attribute(where: { $0.type == .composite }) else {
            return false
        }
        let attribute = world.entities[place].attributes[number]
        let element = Int.random(in: attribute.elements.indices, using: &random)
        let old = attribute.elements[element]
        count += 1
        let name = "e\(count)"
        world.entities[place].attributes[number].elements[element].name = name
        world.entities[place].attributes[number].elements[element].renamingIdentifier =
            old.renamingIdentifier ?? old.name
        touch(world.entities[place].name, attribute.name)
        for member in world.members(of: world.entities[place].name) {
            let path = "\(attribute.name).\(old.name)"
            let value = world.objects[member]?.values.removeValue(forKey: path)
            world.objects[member]?.values["\(attribute.name).\(name)"] = value
        }
        return true
    }

    mutating func addElement() -> Bool {
        guard let (place, number) = attribute(where: { $0.type == .composite }) else {
            return false
        }
        count += 1
        let element = AttributeDescription("e\(count)", .double, isOptional: true)
        world.entities[place].attributes[number].elements.append(element)
        touch(world.entities[place].name, world.entities[place].attributes[number].name)
        return true
    }
}
