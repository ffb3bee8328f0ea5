import DuramenModel
import Testing

/// How composites become attributes with slots, and which ones a model refuses.
struct CompositeModelTests {
    /// `a-b` sorts between `a` and `a.b`, by bytes.
    private static let descriptions = [
        EntityDescription(
            name: "Quake",
            attributes: [
                AttributeDescription("a-b", .integer16), AttributeDescription("z", .string),
                .composite(
                    "a", isOptional: true,
                    elements: [
                        AttributeDescription("y", .double, default: .double(2)),
                        .composite(
                            "m",
                            elements: [
                                AttributeDescription("q", .date),
                                AttributeDescription("p", .boolean, isOptional: true),
                            ]),
                        AttributeDescription("b", .string),
                    ]),
                .composite("empty", elements: []),
            ], uniquenessConstraints: [["z", "a.m.q"]], indexes: [IndexDescription("a.b", "z")]),
        EntityDescription(
            name: "Swarm", superentity: "Quake",
            attributes: [
                .composite("c", elements: [AttributeDescription("d", .double)])
            ]),
    ]
    private let model: ManagedObjectModel
    private let quake: Entity
    private let swarm: Entity

    init() throws {
        model = try ManagedObjectModel(Self.descriptions)
        quake = try #require(model.entity(named: "Quake"))
        swarm = try #require(model.entity(named: "Swarm"))
    }

    @Test func elementsAreAttributesWithNeighbouringSlotsInTheOrderOfTheirNames() {
        #expect(
            swarm.attributes.map(\.name) == ["a.b", "a.m.p", "a.m.q", "a.y", "a-b", "z", "c.d"])
        #expect(swarm.attributes.map(\.slot) == Array(0..<7))
        #expect(
            swarm.layout.kinds == [.text, .boolean, .date, .double, .integer, .text, .double])
        #expect(quake.attributes[3].defaultValue == .double(2))
    }

    @Test func compositesKnowTheirSlotsAndElements() throws {
        let composite = try #require(quake.composite(named: "a"))
        #expect(composite.slots == 0..<4 && composite.isOptional)
        #expect(composite.elements.map(\.name) == ["a.b", "a.m", "a.y"])
        #expect(composite.attributes.map(\.name) == ["a.b", "a.m.p", "a.m.q", "a.y"])
        let nested = try #require(quake.composite(named: "a.m"))
        #expect(nested.slots == 1..<3 && !nested.isOptional)
        #expect(try #require(quake.composite(named: "empty")).slots.isEmpty)
        #expect(swarm.composites.map(\.name) == ["a", "empty", "c"])
        #expect(quake.composite(named: "a.b") == nil && quake.composite(named: "c") == nil)
    }

    @Test func anElementIsFoundByItsPathAndAWholeCompositeIsNoProperty() {
        #expect(quake.property(named: "a.m.q") == .attribute(quake.attributes[2]))
        #expect(quake.property(named: "a") == nil && quake.property(named: "a.m") == nil)
        #expect(quake.property(named: "q") == nil)
    }

    @Test func elementsOfAnOptionalCompositeMayBeNullAndAreDescribedAsMandatory() throws {
        #expect(
            quake.attributes.filter(\.isOptional).map(\.name) == ["a.b", "a.m.p", "a.m.q", "a.y"])
        let declared = try #require(quake.composite(named: "a")).attributes
        #expect(declared.filter(\.isOptional).map(\.name) == ["a.m.p"])
        #expect(swarm.attributes.last?.isOptional == false)
    }

    @Test func constraintsAndIndexesNameElements() {
        #expect(quake.uniquenessConstraints.map(\.slots) == [[5, 2]])
        #expect(quake.indexes.map(\.name) == ["by_a_b_z"])
    }

    @Test func aRenamedCompositeIsSoughtUnderItsOldPath() throws {
        let model = try ManagedObjectModel([
            EntityDescription(
                name: "Quake",
                attributes: [
                    .composite(
                        "place",
                        elements: [
                            AttributeDescription("x", .double, renamingIdentifier: "latitude"),
                            AttributeDescription("y", .double),
                        ], renamingIdentifier: "location"),
                    .composite(
                        "spot",
                        elements: [
                            AttributeDescription("x", .double, renamingIdentifier: "latitude"),
                            AttributeDescription("y", .double),
                        ]),
                ])
        ])
        #expect(
            model.entities[0].attributes.map(\.renamingIdentifier) == [
                "location.latitude", "location.y", "spot.latitude", nil,
            ])
    }

    // MARK: - Mistakes

    private static let mistakes: [(AttributeDescription, [Finding])] = [
        (
            .composite("a", elements: [AttributeDescription("", .string)]),
            [Finding(.invalidName, "Quake", "a.")]
        ),
        (
            .composite("a", elements: [AttributeDescription("b.c", .string)]),
            [Finding(.invalidName, "Quake", "a.b.c")]
        ),
        (
            .composite(
                "a", elements: [AttributeDescription("b", .string), .composite("b", elements: [])]),
            [Finding(.duplicateName, "Quake", "a.b")]
        ),
        (
            .composite("a", elements: [AttributeDescription("b", .objectID)]),
            [Finding(.unsupported, "Quake", "a.b")]
        ),
        (
            .composite("a", elements: [AttributeDescription("b", .undefined)]),
            [Finding(.unsupported, "Quake", "a.b")]
        ),
        (
            .composite("a", elements: [AttributeDescription("b", .string, isTransient: true)]),
            [Finding(.invalidComposite, "Quake", "a.b")]
        ),
        (
            .composite(
                "a",
                elements: [
                    AttributeDescription("b", .binaryData, allowsExternalBinaryDataStorage: true)
                ]),
            [Finding(.invalidComposite, "Quake", "a.b")]
        ),
        (
            .composite(
                "a",
                elements: [
                    .composite(
                        "b", elements: [AttributeDescription("c", .double, default: .text("x"))])
                ]),
            [Finding(.invalidDefault, "Quake", "a.b.c")]
        ),
        (
            AttributeDescription("a", .composite, default: .integer(1)),
            [Finding(.invalidDefault, "Quake", "a")]
        ),
        (
            AttributeDescription("a", .composite, isTransient: true),
            [Finding(.invalidComposite, "Quake", "a")]
        ),
    ]

    @Test(arguments: mistakes.indices)
    func whatCannotBeAnElementIsRefusedByItsPath(index: Int) {
        let (attribute, expected) = Self.mistakes[index]
        #expect(findings(attribute) == expected)
    }

    @Test func onlyCompositesHaveElements() {
        var attribute = AttributeDescription("a", .string)
        attribute.elements = [AttributeDescription("b", .string)]
        #expect(findings(attribute) == [Finding(.invalidComposite, "Quake", "a")])
    }

    @Test func aPathIsNoLongerThanAName() {
        let name = String(repeating: "n", count: 100)
        let inner = AttributeDescription(name, .string)
        #expect(
            findings(.composite(name, elements: [inner]))
                == [Finding(.invalidName, "Quake", "\(name).\(name)")])
        #expect(findings(.composite(String(name.dropLast()), elements: [inner])).isEmpty)
    }

    @Test func everyElementCountsAgainstTheMostProperties() {
        func entity(_ count: Int) -> [EntityDescription] {
            let elements = (0..<count).map { AttributeDescription("a\($0)", .boolean) }
            return [
                EntityDescription(
                    name: "Quake", attributes: [.composite("all", elements: elements)])
            ]
        }
        #expect(findings(entity(4096)).isEmpty)
        #expect(findings(entity(4097)) == [Finding(.tooLarge, "Quake")])
    }

    @Test func aConstraintOrIndexOverAWholeCompositeIsRefused() {
        let entity = EntityDescription(
            name: "Quake",
            attributes: [.composite("a", elements: [AttributeDescription("b", .string)])],
            uniquenessConstraints: [["a"], ["a.c"]],
            indexes: [IndexDescription("a"), IndexDescription("a.c")])
        #expect(
            findings([entity]) == [
                Finding(.invalidConstraint, "Quake", "a"),
                Finding(.unknownProperty, "Quake", "a.c"),
                Finding(.invalidConstraint, "Quake", "by_a"),
                Finding(.unknownProperty, "Quake", "by_a_c"),
            ])
    }
}
