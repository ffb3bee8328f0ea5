import DuramenModel
import Testing

struct InverseTests {
    private func model(
        _ a: [RelationshipDescription], _ b: [RelationshipDescription]
    ) -> [EntityDescription] {
        [
            EntityDescription(name: "A", relationships: a),
            EntityDescription(name: "B", relationships: b),
        ]
    }

    @Test(arguments: [("bs", nil), (nil, "a"), ("bs", "a")] as [(String?, String?)])
    func anInverseNamedOnEitherSideCompletesTheOther(fromB: String?, fromA: String?) throws {
        let model = try ManagedObjectModel(
            model(
                [.toMany("bs", destination: "B", inverse: fromA)],
                [.toOne("a", destination: "A", inverse: fromB)]))
        let bs = try #require(model.entity(named: "A")?.relationships.first)
        let a = try #require(model.entity(named: "B")?.relationships.first)
        #expect(bs.inverse == a.id && a.inverse == bs.id)
        #expect(bs.storage == .inverseOfToOne(toManyIndex: 0))
        #expect(a.storage == .toOne(slot: 0, entitySlot: nil))
        #expect(model.descriptions[0].relationships[0].inverse == "a")
        #expect(model.descriptions[1].relationships[0].inverse == "bs")
    }

    @Test func aManyToManyAndAOneToOneKnowTheirStorage() throws {
        let model = try ManagedObjectModel(
            model(
                [
                    .toMany("many", destination: "B", inverse: "many"),
                    .toOne("one", destination: "B", inverse: "one"),
                ], [.toMany("many", destination: "A"), .toOne("one", destination: "A")]))
        for entity in model.entities {
            #expect(entity.relationships.map(\.name) == ["one", "many"])
            #expect(entity.relationships[0].slot == 0)
            #expect(entity.toManyRelationships.map(\.storage) == [.manyToMany(toManyIndex: 0)])
        }
    }

    @Test func anEntityMayRelateToItselfByTwoRelationships() throws {
        let model = try ManagedObjectModel([
            EntityDescription(
                name: "Person",
                relationships: [
                    .toOne("parent", destination: "Person", inverse: "children"),
                    .toMany("children", destination: "Person"),
                ])
        ])
        let person = model.entities[0]
        #expect(person.relationships.map(\.name) == ["parent", "children"])
        #expect(model[person.relationships[0].inverse].name == "children")
    }

    @Test func aRelationshipMayBeItsOwnInverse() throws {
        let model = try ManagedObjectModel([
            EntityDescription(
                name: "Person",
                relationships: [
                    .toMany("friends", destination: "Person", inverse: "friends"),
                    .toOne("spouse", destination: "Person", inverse: "spouse"),
                ])
        ])
        for relationship in model.relationships {
            #expect(relationship.isSelfInverse)
            #expect(relationship.inverse == relationship.id)
        }
        #expect(model.entities[0].toManyRelationships[0].storage == .manyToMany(toManyIndex: 0))
    }

    @Test func aRelationshipWithoutAnInverseGetsAHiddenOne() throws {
        let described = model(
            [.toMany("bs", destination: "B")],
            [.toOne("a", destination: "A"), .toOne("other", destination: "A")])
        let model = try ManagedObjectModel(described)
        let a = try #require(model.entity(named: "A"))
        let b = try #require(model.entity(named: "B"))
        // What accessors know stands before what they do not.
        #expect(b.relationships.filter { !$0.isHidden }.compactMap(\.slot) == [0, 1])
        #expect(b.relationships.filter(\.isHidden).map(\.slot) == [2])
        #expect(a.toManyRelationships.map(\.isHidden) == [false, true, true])
        for relationship in model.relationships {
            #expect(model[relationship.inverse].inverse == relationship.id)
            #expect(model[relationship.inverse].isHidden != relationship.isHidden)
        }
        // Nobody can ask for them, and they are no part of what the model says.
        #expect(a.property(named: a.toManyRelationships[1].name) == nil)
        #expect(model.descriptions == described)
    }

    @Test func hiddenInversesStandBehindWhatSubentitiesDeclare() throws {
        let model = try ManagedObjectModel([
            EntityDescription(
                name: "Box",
                relationships: [.toMany("things", destination: "Thing", isOrdered: true)]),
            EntityDescription(name: "Thing", attributes: [AttributeDescription("a", .string)]),
            EntityDescription(
                name: "Tool", superentity: "Thing", attributes: [AttributeDescription("b", .string)]
            ),
        ])
        let tool = try #require(model.entity(named: "Tool"))
        #expect(tool.attributes.map(\.slot) == [0, 1])
        let back = try #require(tool.relationships.first)
        #expect(back.slot == 2 && back.orderSlot == 3)
        #expect(model[back.id].slot == 1 && model[back.id].orderSlot == 2)
    }

    @Test func anInverseThatIsNotThereIsNamed() {
        #expect(
            findings(model([.toMany("bs", destination: "B", inverse: "x")], []))
                == [Finding(.unknownProperty, "A", "bs")])
    }

    @Test func anAttributeIsNoInverse() {
        var entities = model([.toMany("bs", destination: "B", inverse: "x")], [])
        entities[1].attributes = [AttributeDescription("x", .string)]
        #expect(findings(entities) == [Finding(.unknownProperty, "A", "bs")])
    }

    @Test func anInverseThatLeadsElsewhereIsRefused() {
        var entities = model(
            [.toMany("bs", destination: "B", inverse: "c")],
            [.toOne("c", destination: "C", inverse: "bs")])
        entities.append(
            EntityDescription(name: "C", relationships: [.toMany("bs", destination: "B")]))
        #expect(findings(entities) == [Finding(.invalidInverse, "A", "bs")])
    }

    @Test func anInverseLeadsToTheDeclaringEntityAndNotToItsParent() {
        let entities = [
            EntityDescription(name: "Parent"),
            EntityDescription(
                name: "Child", superentity: "Parent",
                relationships: [.toMany("bs", destination: "B", inverse: "owner")]),
            EntityDescription(name: "B", relationships: [.toOne("owner", destination: "Parent")]),
        ]
        #expect(findings(entities).contains(Finding(.invalidInverse, "Child", "bs")))
    }

    @Test func twoRelationshipsCannotShareAnInverse() {
        #expect(
            findings(
                model(
                    [
                        .toMany("first", destination: "B", inverse: "a"),
                        .toMany("second", destination: "B", inverse: "a"),
                    ], [.toOne("a", destination: "A")]))
                == [Finding(.invalidInverse, "A", "second")])
    }

    @Test func sidesThatNameDifferentPartnersAreRefused() {
        let found = findings(
            model(
                [
                    .toMany("first", destination: "B", inverse: "a"),
                    .toMany("second", destination: "B"),
                ], [.toOne("a", destination: "A", inverse: "second")]))
        #expect(found.contains(Finding(.invalidInverse, "A", "first")))
    }

    @Test func anUnknownDestinationIsOneMistake() {
        #expect(
            findings(model([.toOne("c", destination: "C")], []))
                == [Finding(.unknownEntity, "A", "c")])
    }
}
