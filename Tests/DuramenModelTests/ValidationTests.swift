import DuramenModel
import Testing

struct ValidationTests {
    private func quake(
        _ attributes: [AttributeDescription] = [], constraints: [[String]] = [],
        indexes: [IndexDescription] = []
    ) -> EntityDescription {
        EntityDescription(
            name: "Quake", attributes: attributes,
            relationships: [.toOne("region", destination: "Region", inverse: "quakes")],
            uniquenessConstraints: constraints, indexes: indexes)
    }
    private let region = EntityDescription(
        name: "Region", relationships: [.toMany("quakes", destination: "Quake")])

    @Test func anEmptyModelIsRight() throws {
        #expect(try ManagedObjectModel([]).entities.isEmpty)
    }

    @Test func allMistakesAreListedAtOnceByEntity() throws {
        let descriptions = [
            EntityDescription(
                name: "Volcano", superentity: "Mountain",
                attributes: [AttributeDescription("a.b", .double, default: .integer(1))]),
            EntityDescription(
                name: "Alarm",
                attributes: [
                    AttributeDescription("level", .integer16, default: .integer(40_000)),
                    AttributeDescription("level", .string),
                    AttributeDescription("payload", .transformable, isTransient: true),
                ],
                relationships: [.toOne("owner", destination: "Nobody")],
                uniquenessConstraints: [["missing"], []], indexes: [IndexDescription("lost")]),
        ]
        #expect(
            Set(findings(descriptions)) == [
                Finding(.invalidDefault, "Alarm", "level"),
                Finding(.duplicateName, "Alarm", "level"),
                Finding(.unsupported, "Alarm", "payload"),
                Finding(.unknownEntity, "Alarm", "owner"),
                Finding(.unknownProperty, "Alarm", "missing"),
                Finding(.invalidConstraint, "Alarm", ""),
                Finding(.unknownProperty, "Alarm", "by_lost"),
                Finding(.unknownEntity, "Volcano"),
                Finding(.invalidName, "Volcano", "a.b"),
                Finding(.invalidDefault, "Volcano", "a.b"),
            ])
        let entities = findings(descriptions).map(\.entity)
        #expect(entities == entities.sorted { StoredText($0) < StoredText($1) })
    }

    @Test func theErrorPrintsOneLinePerMistakeWithItsPlaceAndCode() throws {
        let error = try #require(throws: ModelError.self) {
            try ManagedObjectModel([
                EntityDescription(name: "Quake", attributes: [AttributeDescription("", .string)])
            ])
        }
        #expect(error.mistakes.count == 1)
        #expect(error.description.hasPrefix("The model has 1 mistake:\n  Quake.: "))
        #expect(error.description.hasSuffix("[invalidName]"))
    }

    @Test func twoEntitiesOfOneNameAreRefusedOnce() {
        let model = [quake(), region, region]
        #expect(findings(model) == [Finding(.duplicateName, "Region")])
    }

    @Test func propertiesOfAllKindsShareOneSpaceOfNames() {
        let both = EntityDescription(
            name: "Quake", attributes: [AttributeDescription("region", .string)],
            relationships: [.toOne("region", destination: "Region", inverse: "quakes")])
        #expect(findings([both, region]) == [Finding(.duplicateName, "Quake", "region")])
    }

    @Test func aNameInheritedFromAnyAncestorIsTaken() {
        let model = [
            EntityDescription(name: "A", attributes: [AttributeDescription("name", .string)]),
            EntityDescription(name: "B", superentity: "A"),
            EntityDescription(
                name: "C", superentity: "B", attributes: [AttributeDescription("name", .string)]),
            EntityDescription(name: "D", superentity: "C"),
        ]
        #expect(findings(model) == [Finding(.duplicateName, "C", "name")])
    }

    @Test func siblingsMayUseOneName() {
        let model = [
            EntityDescription(name: "A"),
            EntityDescription(
                name: "B", superentity: "A", attributes: [AttributeDescription("name", .string)]),
            EntityDescription(
                name: "C", superentity: "A", attributes: [AttributeDescription("name", .double)]),
        ]
        #expect(findings(model).isEmpty)
    }

    @Test func everyEntityOfACycleIsNamedAndNoneBelowIt() {
        let model = [
            EntityDescription(name: "A", superentity: "C"),
            EntityDescription(name: "B", superentity: "A"),
            EntityDescription(name: "C", superentity: "B"),
            EntityDescription(name: "Below", superentity: "C"),
            EntityDescription(name: "Self", superentity: "Self"),
        ]
        #expect(
            findings(model) == ["A", "B", "C", "Self"].map { Finding(.inheritanceCycle, $0) })
    }

    @Test(arguments: [
        ([["code"]], []),
        ([["code", "name"]], []),
        ([["name"]], []),
        ([[]], [Finding(.invalidConstraint, "Quake", "")]),
        ([["code", "code"]], [Finding(.invalidConstraint, "Quake", "code, code")]),
        ([["code", "nothing"]], [Finding(.unknownProperty, "Quake", "code, nothing")]),
        ([["code", "region"]], []),
        ([["region"]], []),
        ([["Code"]], [Finding(.unknownProperty, "Quake", "Code")]),
    ])
    func uniquenessConstraintsNameAttributesAndToOnes(constraints: [[String]], expected: [Finding])
    {
        let quake = quake(
            [AttributeDescription("code", .string), AttributeDescription("name", .string)],
            constraints: constraints)
        #expect(findings([quake, region]) == expected)
    }

    @Test func aToManyIsInNoConstraint() {
        var region = region
        region.uniquenessConstraints = [["quakes"]]
        #expect(
            findings([quake([]), region]) == [Finding(.unknownProperty, "Region", "quakes")])
    }

    @Test(arguments: [
        (IndexDescription("code"), []),
        (IndexDescription("region", "code"), []),
        (IndexDescription(name: "x", elements: []), [Finding(.invalidConstraint, "Quake", "x")]),
        (IndexDescription("nothing"), [Finding(.unknownProperty, "Quake", "by_nothing")]),
        (IndexDescription("code", "code"), [Finding(.invalidConstraint, "Quake", "by_code_code")]),
    ])
    func indexesNameAttributesAndToOnes(index: IndexDescription, expected: [Finding]) {
        let quake = quake([AttributeDescription("code", .string)], indexes: [index])
        #expect(findings([quake, region]) == expected)
    }

    @Test func anIndexOverAToManyAndTwoOfOneNameAreRefused() {
        var region = region
        region.indexes = [IndexDescription("quakes")]
        var quake = quake([AttributeDescription("code", .string)])
        quake.indexes = [IndexDescription("code"), IndexDescription("code")]
        #expect(
            findings([quake, region]) == [
                Finding(.duplicateName, "Quake", "by_code"),
                Finding(.unknownProperty, "Region", "by_quakes"),
            ])
    }

    @Test(arguments: [
        AttributeType.objectID, AttributeType(rawValue: 0), AttributeType(rawValue: 12_345),
    ])
    func attributeTypesThatNoStoreHoldsAreRefused(type: AttributeType) {
        #expect(
            findings(AttributeDescription("payload", type))
                == [Finding(.unsupported, "Quake", "payload")])
    }

    @Test func everySupportedTypeIsAccepted() {
        let attributes = AttributeType.supported.map { AttributeDescription("a\($0.rawValue)", $0) }
        #expect(attributes.count == 12)
        #expect(findings([EntityDescription(name: "Quake", attributes: attributes)]).isEmpty)
    }

    @Test func aToOneHasNoOrder() {
        var quake = quake()
        quake.relationships[0].isOrdered = true
        #expect(findings([quake, region]) == [Finding(.invalidCount, "Quake", "region")])
    }

    @Test(arguments: [(-1, nil), (0, 0), (0, -3), (3, 2), (.min, .max)] as [(Int, Int?)])
    func countsThatDoNotFitTogetherAreRefused(minimum: Int, maximum: Int?) {
        var region = region
        region.relationships[0].minimumCount = minimum
        region.relationships[0].maximumCount = maximum
        #expect(findings([quake(), region]) == [Finding(.invalidCount, "Region", "quakes")])
    }

    @Test(arguments: [(0, nil), (1, nil), (0, 1), (2, 2), (.max, .max)] as [(Int, Int?)])
    func countsThatFitTogetherAreKept(minimum: Int, maximum: Int?) throws {
        var region = region
        region.relationships[0].minimumCount = minimum
        region.relationships[0].maximumCount = maximum
        let model = try ManagedObjectModel([quake(), region])
        let found = try #require(model.entity(named: "Region")?.relationships.first)
        #expect(found.minimumCount == minimum && found.maximumCount == maximum)
        let plain = try ManagedObjectModel([quake(), self.region])
        // Counts take part in the version hash.
        #expect(
            (model.versionChecksum == plain.versionChecksum) == (minimum == 0 && maximum == nil))
    }

    @Test func aTransientAttributeIsOfAnyTypeAndNoConstraint() {
        #expect(findings(AttributeDescription("shown", .string, isTransient: true)).isEmpty)
        #expect(findings(AttributeDescription("shown", .undefined, isTransient: true)).isEmpty)
        #expect(
            findings(AttributeDescription("shown", .undefined))
                == [Finding(.unsupported, "Quake", "shown")])
        #expect(
            findings(
                AttributeDescription(
                    "shown", .undefined, default: .integer(1), isTransient: true))
                == [Finding(.invalidDefault, "Quake", "shown")])
        #expect(
            findings(
                AttributeDescription(
                    "shown", .integer16, default: .integer(70_000), isTransient: true))
                == [Finding(.invalidDefault, "Quake", "shown")])
        let bad = EntityDescription(
            name: "Quake", attributes: [AttributeDescription("shown", .string, isTransient: true)],
            uniquenessConstraints: [["shown"]], indexes: [IndexDescription("shown")])
        #expect(findings([bad]).map(\.code) == [.invalidConstraint, .invalidConstraint])
    }

    @Test func onlyStoredBinaryValuesMayHaveFiles() throws {
        let descriptions = [
            EntityDescription(
                name: "Photo",
                attributes: [
                    AttributeDescription("caption", .string).externallyStored(),
                    AttributeDescription("draft", .binaryData, isTransient: true)
                        .externallyStored(),
                    AttributeDescription("image", .binaryData).externallyStored(),
                ])
        ]
        #expect(
            findings(descriptions) == [
                Finding(.unsupported, "Photo", "caption"), Finding(.unsupported, "Photo", "draft"),
            ])
    }

    @Test func constraintsAndIndexesCannotNameWhatMayHaveFiles() throws {
        let image = AttributeDescription("image", .binaryData).externallyStored()
        #expect(
            findings([
                quake([image], constraints: [["image"]], indexes: [IndexDescription("image")]),
                region,
            ]) == [
                Finding(.invalidConstraint, "Quake", "image"),
                Finding(.invalidConstraint, "Quake", "by_image"),
            ])
    }

    @Test func aModelKeepsWhatItsAttributesSay() throws {
        let attributes = try ManagedObjectModel([
            EntityDescription(
                name: "Photo",
                attributes: [
                    AttributeDescription("a", .binaryData).externallyStored(),
                    AttributeDescription("b", .string).preservedOnDeletion(),
                    AttributeDescription("c", .string).confidential(),
                ])
        ]).entities[0].attributes
        #expect(attributes.map(\.allowsExternalBinaryDataStorage) == [true, false, false])
        #expect(attributes.map(\.preservesValueInHistoryOnDeletion) == [false, true, false])
        #expect(attributes.map(\.isConfidential) == [false, false, true])
    }

    @Test func transientAttributesTakeNoSlotAndAreNumberedFromTheRootDown() throws {
        let model = try ManagedObjectModel([
            EntityDescription(
                name: "Base",
                attributes: [
                    AttributeDescription("b", .string),
                    AttributeDescription("z", .string, isTransient: true),
                    AttributeDescription("a", .undefined, isTransient: true),
                ]),
            EntityDescription(
                name: "Derived", superentity: "Base",
                attributes: [AttributeDescription("m", .integer64, isTransient: true)]),
        ])
        let derived = try #require(model.entity(named: "Derived"))
        #expect(derived.attributes.map(\.name) == ["b"])
        #expect(derived.layout.slotCount == 1)
        #expect(derived.transientAttributes.map(\.name) == ["a", "z", "m"])
        #expect(derived.transientAttributes.map(\.index) == [0, 1, 2])
        #expect(derived.property(named: "z") == nil)
        #expect(derived.transientAttribute(named: "z")?.declaringEntity != derived.id)
    }

    @Test func aToOneHasNoCounts() {
        for (minimum, maximum) in [(1, nil), (0, 1)] as [(Int, Int?)] {
            var quake = quake()
            quake.relationships[0].minimumCount = minimum
            quake.relationships[0].maximumCount = maximum
            #expect(findings([quake, region]) == [Finding(.invalidCount, "Quake", "region")])
        }
    }

    @Test func anEntityHoldsAtMost4096Properties() {
        let attributes = (0..<4096).map { AttributeDescription("a\($0)", .boolean) }
        let parent = EntityDescription(name: "Wide", attributes: attributes)
        let child = EntityDescription(
            name: "Wider", superentity: "Wide", attributes: [AttributeDescription("b", .boolean)])
        #expect(findings([parent]).isEmpty)
        #expect(findings([parent, child]) == [Finding(.tooLarge, "Wider")])
    }

    @Test func aModelHoldsAtMost65535Entities() {
        let many = (0..<65_536).map { EntityDescription(name: "E\($0)") }
        #expect(findings(many) == [Finding(.tooLarge, "")])
    }
}
