import DuramenModel
import DuramenStore
import Foundation

/// Edits a model, and updates the expected objects.
struct ModelEvolution {
    var world: EvolvingWorld
    var random: SplitMix64
    /// The error that opening the store with the new model must throw; nil if it must be migrated.
    var refusal: StoreError.Code?
    /// Properties that this hop has already changed, by `Entity.property`: two changes of one
    /// property would be a different change.
    var touched: Set<String> = []
    var count = 0
    /// Removed names, which later edits reuse for new properties.
    var goneNames: [String] = []
    var goingNames: [String] = []

    init(seed: UInt64) {
        random = SplitMix64(seed: seed)
        world = EvolvingWorld()
    }

    /// Starts the next change of version.
    mutating func beginHop() {
        touched = []
        refusal = nil
        goneNames += goingNames
        goingNames = []
    }

    // MARK: - Choices

    mutating func fresh(_ kind: String) -> String {
        if let name = goneNames.filter({ !isUsed($0) }).randomElement(using: &random), oneIn(3) {
            goneNames.removeAll { $0 == name }
            return name
        }
        count += 1
        return "\(kind)\(count)"
    }

    func isUsed(_ name: String) -> Bool {
        world.entities.contains { entity in
            (entity.attributes.map(\.name) + entity.relationships.map(\.name)).contains(name)
        }
    }

    mutating func oneIn(_ count: Int) -> Bool {
        Int.random(in: 0..<count, using: &random) == 0
    }

    mutating func entity() -> Int? { world.entities.indices.randomElement(using: &random) }

    /// An attribute that this hop has not changed.
    mutating func attribute(
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

    mutating func relationship(
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

    mutating func touch(_ entity: String, _ property: String) {
        touched.insert("\(entity).\(property)")
    }

    /// The inverse of a relationship; nil if it has no named inverse.
    func inverse(_ relationship: RelationshipDescription) -> (Int, Int)? {
        guard let name = relationship.inverse else { return nil }
        let place = world.index(of: relationship.destination)
        return world.entities[place].relationships.firstIndex { $0.name == name }
            .map { (place, $0) }
    }

    func isConstrained(_ entity: EntityDescription, _ name: String) -> Bool {
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
        case .joinHierarchies: joinHierarchies()
        case .addRelationship: addRelationship()
        case .removeRelationship: removeRelationship()
        case .renameRelationship: renameRelationship()
        case .toggleOrder: toggleOrder()
        case .makeToMany: makeToMany()
        case .makeToOne: makeToOne()
        case .turnAround: turnAround()
        case .raiseDestination: raiseDestination()
        case .lowerDestination: lowerDestination()
        case .addInverse: addInverse()
        case .removeInverse: removeInverse()
        case .changeInverse: changeInverse()
        case .addTwinLinks: addTwinLinks()
        case .moveLinkUp: moveLinkUp()
        case .moveLinkDown: moveLinkDown()
        case .addConstraint: addConstraint()
        case .removeConstraint: removeConstraint()
        case .touch: touchHash()
        case .changeDefault: changeDefault()
        case .addIndex: addIndex()
        }
    }

    mutating func set(
        _ name: String, of entity: String, _ value: (StoredValue?) -> StoredValue?
    ) {
        for number in world.members(of: entity) {
            let known = world.objects[number]?.values[name]
            world.objects[number]?.values[name] = value(known)
        }
    }
}
