import Testing

@testable import DuramenModel

struct LayoutTests {
    /// Place ← Building ← Tower; a place lies in a place and has guests; a guest lives in a
    /// building.
    static let descriptions = [
        EntityDescription(
            name: "Tower", superentity: "Building",
            attributes: [AttributeDescription("bells", .integer16)],
            uniquenessConstraints: [["name", "bells"]]),
        EntityDescription(
            name: "Place", isAbstract: true,
            attributes: [
                AttributeDescription("name", .string), AttributeDescription("area", .double),
            ],
            relationships: [
                .toOne("inside", destination: "Place", inverse: "parts"),
                .toMany("parts", destination: "Place"),
                .toMany("guests", destination: "Guest", inverse: "places"),
            ], uniquenessConstraints: [["name"]]),
        EntityDescription(
            name: "Building", superentity: "Place",
            attributes: [
                AttributeDescription("stones", .integer64), AttributeDescription("built", .date),
            ],
            relationships: [
                .toMany("dwellers", destination: "Guest"), .toOne("keeper", destination: "Guest"),
            ]),
        EntityDescription(
            name: "Guest",
            relationships: [
                .toMany("places", destination: "Place"),
                .toOne("home", destination: "Building", inverse: "dwellers"),
                .toMany("keeps", destination: "Building", inverse: "keeper"),
            ]),
    ]
    private let model: ManagedObjectModel

    init() throws { model = try ManagedObjectModel(Self.descriptions) }

    private func entity(_ name: String) throws -> Entity { try #require(model.entity(named: name)) }

    @Test func entitiesStandInTheOrderOfTheirNames() {
        #expect(model.entities.map(\.name) == ["Building", "Guest", "Place", "Tower"])
        #expect(model.entities.map(\.id.index) == [0, 1, 2, 3])
    }

    @Test func familiesAndRootsFollowInheritance() throws {
        let (place, building, tower) = try (entity("Place"), entity("Building"), entity("Tower"))
        #expect(place.family == [building.id, place.id, tower.id])
        #expect(place.subentities == [building.id])
        #expect(building.family == [building.id, tower.id])
        #expect(tower.root == place.id && place.root == place.id)
        #expect(tower.isKind(of: place) && tower.isKind(of: tower) && !place.isKind(of: tower))
        #expect(try !tower.isKind(of: entity("Guest")))
    }

    @Test func slotsComeFromTheTopDownAndThenByName() throws {
        let place = try entity("Place")
        #expect(place.attributes.map(\.name) == ["area", "name"])
        #expect(place.attributes.map(\.slot) == [0, 2])
        #expect(place.relationships.map(\.name) == ["inside", "guests", "parts"])
        #expect(place.layout.kinds == [.double, .reference, .text, .referenceEntity])
        let tower = try entity("Tower")
        #expect(tower.attributes.map(\.name) == ["area", "name", "built", "stones", "bells"])
        #expect(tower.attributes.map(\.slot) == [0, 2, 3, 5, 6])
        #expect(
            tower.layout.kinds == [
                .double, .reference, .text, .date, .reference, .integer, .integer, .referenceEntity,
            ])
    }

    @Test func aSubentityKeepsTheSlotsAndToManyIndexesOfItsParent() throws {
        let tower = try entity("Tower")
        for parent in try [entity("Place"), entity("Building")] {
            for attribute in parent.attributes { #expect(tower.attributes.contains(attribute)) }
            for relationship in parent.relationships {
                let inherited = try #require(
                    tower.relationships.first { $0.name == relationship.name })
                #expect(inherited.id == relationship.id)
                #expect(inherited.slot == relationship.slot)
                #expect(inherited.storage.toManyIndex == relationship.storage.toManyIndex)
                #expect(inherited.declaringEntity == relationship.declaringEntity)
            }
        }
    }

    @Test func entitySlotsOfPolymorphicToOnesComeLast() throws {
        let storages = try ["Place", "Building", "Tower", "Guest"].map {
            try entity($0).relationships[0].storage
        }
        #expect(
            storages == [
                .toOne(slot: 1, entitySlot: 3), .toOne(slot: 1, entitySlot: 6),
                .toOne(slot: 1, entitySlot: 7), .toOne(slot: 0, entitySlot: 1),
            ])
        let keeper = try entity("Building").relationships[1]
        #expect(keeper.storage == .toOne(slot: 4, entitySlot: nil))
    }

    @Test func relationshipsAreNumberedOnceByDeclaringEntityAndName() {
        #expect(
            model.relationships.map(\.name) == [
                "dwellers", "keeper", "home", "keeps", "places", "guests", "inside", "parts",
            ])
        #expect(model.relationships.map(\.id.index) == Array(0..<8))
        for relationship in model.relationships {
            #expect(model[relationship.id] == relationship)
            #expect(model[model[relationship.inverse].inverse] == relationship)
        }
    }

    @Test func constraintsAreInheritedWithTheirSlots() throws {
        let (place, building, tower) = try (entity("Place"), entity("Building"), entity("Tower"))
        let name = UniquenessConstraint(entity: place.id, properties: ["name"], slots: [2])
        #expect(place.uniquenessConstraints == [name])
        #expect(building.uniquenessConstraints == [name])
        let own = UniquenessConstraint(
            entity: tower.id, properties: ["name", "bells"], slots: [2, 6])
        #expect(tower.uniquenessConstraints == [name, own])
    }

    @Test func theOrderOfDescriptionsChangesNothing() throws {
        let turned = try ManagedObjectModel(
            Self.descriptions.reversed().map { description in
                var description = description
                description.attributes.reverse()
                description.relationships.reverse()
                return description
            })
        #expect(turned.entities.map(\.layout) == model.entities.map(\.layout))
        #expect(turned.entities.map(\.attributes) == model.entities.map(\.attributes))
        #expect(turned.relationships == model.relationships)
    }

    @Test func anObjectIDLeadsToItsEntityInEveryModelThatHasTheName() throws {
        let other = try ManagedObjectModel([EntityDescription(name: "Tower")])
        let tower = try entity("Tower")
        let id = ManagedObjectID.temporary(entity: tower.handle)
        #expect(model.entity(of: id) == tower)
        #expect(other.entity(of: id) == other.entities[0])
        #expect(try other.entity(for: entity("Guest").handle) == nil)
        #expect(
            model.entity(for: EntityHandle(name: "A name that no model of this test has")) == nil)
    }
}
