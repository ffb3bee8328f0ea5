import DuramenModel
import DuramenStore
import Foundation

/// Edits a model and says what becomes of the objects.
struct ModelEvolution {
    var world: EvolvingWorld
    var random: SplitMix64
    /// What opening the store with the new model must throw; nil when it is to be migrated.
    var refusal: StoreError.Code?
    /// Properties that this hop has changed already, by `Entity.property`: two changes of one would be
    /// one other change.
    private var touched: Set<String> = []
    private var count = 0
    /// Names that stores have had and have no more; they come back as something new.
    private var goneNames: [String] = []
    private var goingNames: [String] = []

    init(seed: UInt64) {
        random = SplitMix64(seed: seed)
        world = EvolvingWorld()
    }

    /// Begins the next change of version.
    mutating func beginHop() {
        touched = []
        refusal = nil
        goneNames += goingNames
        goingNames = []
    }

    // MARK: - Choices

    private mutating func fresh(_ kind: String) -> String {
        if let name = goneNames.filter({ !isUsed($0) }).randomElement(using: &random), oneIn(3) {
            goneNames.removeAll { $0 == name }
            return name
        }
        count += 1
        return "\(kind)\(count)"
    }

    private func isUsed(_ name: String) -> Bool {
        world.entities.contains { entity in
            (entity.attributes.map(\.name) + entity.relationships.map(\.name)).contains(name)
        }
    }

    private mutating func oneIn(_ count: Int) -> Bool {
        Int.random(in: 0..<count, using: &random) == 0
    }

    private mutating func entity() -> Int? { world.entities.indices.randomElement(using: &random) }

    /// An attribute that this hop has not changed.
    private mutating func attribute(
        where isWanted: (AttributeDescription) -> Bool
    ) -> (entity: Int, attribute: Int)? {
        var all: [(Int, Int)] = []
        for (place, entity) in world.entities.enumerated() {
            for (number, attribute) in entity.attributes.enumerated()
            where !touched.contains("\(entity.name).\(attribute.name)") && isWanted(attribute) {
                all.append((place, number))
            }
        }
        return all.randomElement(using: &random)
    }

    private mutating func relationship(
        where isWanted: (EntityDescription, RelationshipDescription) -> Bool
    ) -> (entity: Int, relationship: Int)? {
        var all: [(Int, Int)] = []
        for (place, entity) in world.entities.enumerated() {
            for (number, relationship) in entity.relationships.enumerated()
            where !touched.contains("\(entity.name).\(relationship.name)")
                && isWanted(entity, relationship)
            {
                all.append((place, number))
            }
        }
        return all.randomElement(using: &random)
    }

    private mutating func touch(_ entity: String, _ property: String) {
        touched.insert("\(entity).\(property)")
    }

    /// The other end of a relationship; nil when it has none with a name.
    private func inverse(_ relationship: RelationshipDescription) -> (Int, Int)? {
        guard let name = relationship.inverse else { return nil }
        let place = world.index(of: relationship.destination)
        return world.entities[place].relationships.firstIndex { $0.name == name }
            .map { (place, $0) }
    }

    private func isConstrained(_ entity: EntityDescription, _ name: String) -> Bool {
        world.entities.contains { other in
            other.uniquenessConstraints.joined().contains(name)
        }
    }

    // MARK: - Edits

    /// - Returns: Whether the model was changed.
    mutating func apply(_ edit: ModelEdit) -> Bool {
        switch edit {
        case .addAttribute: addAttribute(isMandatory: false)
        case .addMandatoryAttribute: addAttribute(isMandatory: true)
        case .removeAttribute: removeAttribute()
        case .renameAttribute: renameAttribute()
        case .makeMandatory: makeMandatory()
        case .makeOptional: makeOptional()
        case .changeType: changeType()
        case .toggleExternalStorage: toggleExternalStorage()
        case .addComposite: addComposite()
        case .renameElement: renameElement()
        case .addElement: addElement()
        case .moveUp: moveUp()
        case .moveDown: moveDown()
        case .addEntity: addEntity()
        case .removeEntity: removeEntity()
        case .renameEntity: renameEntity()
        case .makeAbstract: makeAbstract()
        case .makeConcrete: makeConcrete()
        case .addParent: addParent()
        case .removeParent: removeParent()
        case .addRelationship: addRelationship()
        case .removeRelationship: removeRelationship()
        case .renameRelationship: renameRelationship()
        case .toggleOrder: toggleOrder()
        case .makeToMany: makeToMany()
        case .raiseDestination: raiseDestination()
        case .addInverse: addInverse()
        case .removeInverse: removeInverse()
        case .addConstraint: addConstraint()
        case .removeConstraint: removeConstraint()
        case .touch: touchHash()
        case .changeDefault: changeDefault()
        case .addIndex: addIndex()
        }
    }

    private mutating func set(
        _ name: String, of entity: String, _ value: (StoredValue?) -> StoredValue?
    ) {
        for number in world.members(of: entity) {
            let known = world.objects[number]?.values[name]
            world.objects[number]?.values[name] = value(known)
        }
    }

    private mutating func addAttribute(isMandatory: Bool) -> Bool {
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

    private mutating func removeAttribute() -> Bool {
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

    private mutating func renameAttribute() -> Bool {
        guard let (place, number) = attribute(where: { _ in true }) else { return false }
        let entity = world.entities[place]
        let old = entity.attributes[number]
        if isConstrained(entity, old.name) { return false }
        count += 1
        let name = "r\(count)"
        world.entities[place].attributes[number].name = name
        // The canonical name stays through all versions.
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

    private mutating func makeMandatory() -> Bool {
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

    private mutating func makeOptional() -> Bool {
        let found = attribute { !$0.isOptional && $0.type != .composite }
        guard let (place, number) = found else { return false }
        world.entities[place].attributes[number].isOptional = true
        touch(world.entities[place].name, world.entities[place].attributes[number].name)
        return true
    }

    private mutating func changeType() -> Bool {
        let found = attribute { !EvolutionValues.targets(of: $0.type).isEmpty }
        guard let (place, number) = found else { return false }
        let entity = world.entities[place]
        var attribute = entity.attributes[number]
        if isConstrained(entity, attribute.name) { return false }
        guard
            let type = EvolutionValues.targets(of: attribute.type).randomElement(using: &random)
        else { return false }
        // Not every text is a URI that may be a default.
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

    private mutating func toggleExternalStorage() -> Bool {
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

    private mutating func addComposite() -> Bool {
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

    private mutating func renameElement() -> Bool {
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

    private mutating func addElement() -> Bool {
        guard let (place, number) = attribute(where: { $0.type == .composite }) else {
            return false
        }
        count += 1
        let element = AttributeDescription("e\(count)", .double, isOptional: true)
        world.entities[place].attributes[number].elements.append(element)
        touch(world.entities[place].name, world.entities[place].attributes[number].name)
        return true
    }

    // MARK: - Hierarchies

    private mutating func moveUp() -> Bool {
        let world = world
        let found = attribute { attribute in attribute.type != .composite }
        guard let (place, number) = found, let parent = world.entities[place].superentity else {
            return false
        }
        let entity = world.entities[place]
        let attribute = entity.attributes[number]
        if isConstrained(entity, attribute.name) { return false }
        let owner = world.index(of: parent)
        // Siblings must not have the name.
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

    private mutating func moveDown() -> Bool {
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

    private mutating func addEntity() -> Bool {
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

    private mutating func removeEntity() -> Bool {
        guard world.entities.count > 2, let place = entity() else { return false }
        let entity = world.entities[place]
        if !world.children(of: entity.name).isEmpty || touched.contains(entity.name) { return false }
        // What leads there or away goes too.
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
        for relationship in world.entities[place].relationships { drop(relationship.name, of: place) }
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

    private mutating func renameEntity() -> Bool {
        guard let place = entity() else { return false }
        let old = world.entities[place]
        // What was noted of its properties would be forgotten.
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

    private mutating func makeAbstract() -> Bool {
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

    private mutating func makeConcrete() -> Bool {
        guard let place = entity(), world.entities[place].isAbstract,
            touched.insert(world.entities[place].name + " is abstract").inserted
        else { return false }
        world.entities[place].isAbstract = false
        return true
    }

    /// A new entity between an entity and its parent, or above a root.
    private mutating func addParent() -> Bool {
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

    private mutating func removeParent() -> Bool {
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
            // Uniqueness may not be told apart afterwards.
            world.entities[other].superentity = entity.superentity
            touched.insert(world.entities[other].name)
        }
        world.entities.remove(at: world.index(of: entity.name))
        return true
    }

    // MARK: - Relationships

    private mutating func addRelationship() -> Bool {
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

    private mutating func drop(_ name: String, of place: Int) {
        let owner = world.entities[place].name
        world.entities[place].relationships.removeAll { $0.name == name }
        goingNames.append(name)
        for member in world.members(of: owner) {
            world.objects[member]?.toOnes[name] = nil
            world.objects[member]?.toManys[name] = nil
        }
    }

    private mutating func removeRelationship() -> Bool {
        guard let (place, number) = relationship(where: { _, _ in true }) else { return false }
        let relationship = world.entities[place].relationships[number]
        if let (other, back) = inverse(relationship) {
            drop(world.entities[other].relationships[back].name, of: other)
        }
        drop(relationship.name, of: place)
        return true
    }

    private mutating func renameRelationship() -> Bool {
        guard let (place, number) = relationship(where: { _, _ in true }) else { return false }
        let old = world.entities[place].relationships[number]
        let owner = world.entities[place].name
        count += 1
        let name = "n\(count)"
        if let (other, back) = inverse(old) {
            world.entities[other].relationships[back].inverse = name
        }
        // One that is its own inverse was renamed there.
        world.entities[place].relationships[number].name = name
        world.entities[place].relationships[number].renamingIdentifier =
            old.renamingIdentifier ?? old.name
        touch(owner, name)
        for member in world.members(of: owner) {
            let toOne = world.objects[member]?.toOnes.removeValue(forKey: old.name)
            world.objects[member]?.toOnes[name] = toOne
            let toMany = world.objects[member]?.toManys.removeValue(forKey: old.name)
            world.objects[member]?.toManys[name] = toMany
        }
        return true
    }

    private mutating func toggleOrder() -> Bool {
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

    /// A to-one with a to-one or a to-many back leads to many.
    private mutating func makeToMany() -> Bool {
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

    /// A to-one without a way back leads to the parent of its destination.
    private mutating func raiseDestination() -> Bool {
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

    private mutating func addInverse() -> Bool {
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
        // What led there is led back from.
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

    private mutating func removeInverse() -> Bool {
        let found = relationship { _, relationship in relationship.inverse != nil }
        guard let (place, number) = found else { return false }
        let relationship = world.entities[place].relationships[number]
        guard let (other, back) = inverse(relationship), (other, back) != (place, number) else {
            return false
        }
        let inverse = world.entities[other].relationships[back]
        let owner = world.entities[place].name
        // Without a way back a one-to-one would become another kind, and so would a many-to-many.
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

    // MARK: - The rest

    private mutating func addConstraint() -> Bool {
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

    private mutating func removeConstraint() -> Bool {
        guard let place = entity(),
            let name = world.entities[place].uniquenessConstraints.first?.first,
            !touched.contains("\(world.entities[place].name).\(name)")
        else { return false }
        world.entities[place].uniquenessConstraints.removeFirst()
        return true
    }

    private mutating func touchHash() -> Bool {
        guard let place = entity() else { return false }
        count += 1
        world.entities[place].versionHashModifier = "t\(count)"
        return true
    }

    private mutating func changeDefault() -> Bool {
        let found = attribute { !$0.isOptional && $0.type != .composite }
        guard let (place, number) = found else { return false }
        let type = world.entities[place].attributes[number].type
        world.entities[place].attributes[number].defaultValue = EvolutionValues.value(
            type, &random)
        return true
    }

    private mutating func addIndex() -> Bool {
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
