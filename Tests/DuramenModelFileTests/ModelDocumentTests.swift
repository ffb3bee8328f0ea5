import DuramenModel
import DuramenModelFile
import Testing

/// What the parts of a document say, by the elements that they are.
struct ModelDocumentTests {
    private func attribute(_ attributes: String) throws -> ModelDocument.Attribute {
        let document = try Contents.thing("<attribute name=\"a\" \(attributes)/>")
        return try #require(document.entities.first?.attributes.first)
    }

    private func relationship(_ attributes: String) throws -> ModelDocument.Relationship {
        let document = try Contents.thing(
            "<relationship name=\"a\" destinationEntity=\"Thing\" \(attributes)/>")
        return try #require(document.entities.first?.relationships.first)
    }

    // MARK: - The model

    @Test func theVersionIsNamedAtTheModel() throws {
        let text = "<model userDefinedModelVersionIdentifier=\"2.105.0\"/>"
        let document = try ModelDocument(contents: Array(text.utf8))
        #expect(document.versionIdentifiers == ["2.105.0"])
        #expect(try Contents.model("").versionIdentifiers == [])
    }

    @Test func aConfigurationListsItsEntities() throws {
        let document = try Contents.model(
            "<entity name=\"A\"/><entity name=\"B\"/><configuration name=\"Core\" "
                + "usedWithCloudKit=\"YES\"><memberEntity name=\"B\"/><memberEntity name=\"A\"/>"
                + "</configuration>")
        #expect(document.configurations.map(\.name) == ["Core"])
        #expect(document.configurations.first?.entities == ["B", "A"])
    }

    @Test func aFetchRequestSaysWhatItAsksFor() throws {
        let document = try Contents.model(
            "<fetchRequest name=\"r\" entity=\"E\" predicateString=\"a > $A\" resultType=\"2\" "
                + "fetchLimit=\"9\" includesPendingChanges=\"YES\"/><fetchRequest name=\"s\" "
                + "entity=\"E\"/>")
        #expect(document.fetchRequests.map(\.name) == ["r", "s"])
        #expect(document.fetchRequests.map(\.entity) == ["E", "E"])
        #expect(document.fetchRequests.map(\.predicate) == ["a > $A", nil])
        #expect(document.findings() == [])
    }

    @Test func aCompositeListsItsAttributes() throws {
        let document = try Contents.model(
            "<composite name=\"C\"><attribute name=\"x\" attributeType=\"Double\"/>"
                + "<attribute name=\"d\" attributeType=\"Composite\" composite=\"D\"/></composite>"
                + "<composite name=\"D\"/>")
        #expect(document.composites.map(\.name) == ["C", "D"])
        #expect(document.composites.first?.attributes.map(\.name) == ["x", "d"])
        #expect(document.composites.first?.attributes.map(\.composite) == [nil, "D"])
    }

    // MARK: - Entities

    @Test func anEntitySaysItsParentAndWhetherItIsAbstract() throws {
        let entities = try Contents.model(
            "<entity name=\"A\" isAbstract=\"YES\"/><entity name=\"B\" parentEntity=\"A\"/>"
        ).entities
        #expect(entities.map(\.parent) == [nil, "A"])
        #expect(entities.map(\.isAbstract) == [true, false])
    }

    @Test(
        arguments: [
            ("", nil), ("representedClassName=\"\"", nil),
            ("representedClassName=\"NSManagedObject\"", nil), ("representedClassName=\"A\"", "A"),
            ("representedClassName=\".A\"", "A"), ("representedClassName=\"App.A\"", "A"),
        ] as [(String, String?)])
    func theClassIsNamedWithoutItsModule(_ attributes: String, _ name: String?) throws {
        let document = try Contents.model("<entity name=\"E\" \(attributes)/>")
        #expect(document.entities.first?.className == name)
    }

    @Test(
        arguments: [
            ("", .none), ("codeGenerationType=\"class\"", .class),
            ("codeGenerationType=\"category\"", .category), ("codeGenerationType=\"none\"", .none),
            ("codeGenerationType=\"manual\"", .none), ("codeGenerationType=\"manual/none\"", .none),
        ] as [(String, ModelDocument.Entity.CodeGeneration)])
    func whoWritesTheClassIsSaidByItsName(
        _ attributes: String, _ generation: ModelDocument.Entity.CodeGeneration
    ) throws {
        let document = try Contents.model("<entity name=\"E\" \(attributes)/>")
        #expect(document.entities.first?.codeGeneration == generation)
    }

    @Test func uniquenessIsOverOneAttributeOrSeveral() throws {
        let document = try Contents.thing(
            "<uniquenessConstraints><uniquenessConstraint><constraint value=\"a\"/>"
                + "</uniquenessConstraint><uniquenessConstraint><constraint value=\"b\"/>"
                + "<constraint value=\"c\"/></uniquenessConstraint></uniquenessConstraints>")
        #expect(document.entities.first?.uniquenessConstraints == [["a"], ["b", "c"]])
    }

    @Test func indexesAreReadInBothSpellings() throws {
        let document = try Contents.thing(
            "<compoundIndexes><compoundIndex><index value=\"a\"/><index value=\"b\"/>"
                + "</compoundIndex></compoundIndexes><fetchIndex name=\"byC\">"
                + "<fetchIndexElement property=\"c\" type=\"Binary\" order=\"descending\"/>"
                + "<fetchIndexElement property=\"d\" type=\"RTree\" order=\"ascending\"/>"
                + "<fetchIndexElement expression=\"e\" expressionType=\"String\"/></fetchIndex>")
        let indexes = try #require(document.entities.first?.indexes)
        #expect(indexes.map(\.name) == ["byC", nil])
        #expect(indexes.map { $0.elements.map(\.property) } == [["c", "d", nil], ["a", "b"]])
        #expect(
            indexes.map { $0.elements.map(\.isAscending) } == [[false, true, true], [true, true]])
        #expect(indexes.first?.elements.map(\.type) == ["Binary", "RTree", "Binary"])
    }

    @Test func aFetchedPropertySaysWhatItFetches() throws {
        let document = try Contents.thing(
            "<fetchedProperty name=\"f\" optional=\"YES\"><fetchRequest "
                + "name=\"fetchedPropertyFetchRequest\" entity=\"Thing\" predicateString=\"a = YES\"/>"
                + "</fetchedProperty>")
        let property = try #require(document.entities.first?.fetchedProperties.first)
        #expect(property.name == "f")
        #expect(property.request?.entity == "Thing")
        #expect(property.request?.predicate == "a = YES")
    }

    // MARK: - Attributes

    @Test(
        arguments: [
            ("Integer 16", .integer16), ("Integer 32", .integer32), ("Integer 64", .integer64),
            ("Decimal", .decimal), ("Double", .double), ("Float", .float), ("String", .string),
            ("Boolean", .boolean), ("Date", .date), ("Binary", .binaryData), ("UUID", .uuid),
            ("URI", .uri), ("Transformable", .transformable), ("Composite", .composite),
            ("Undefined", .undefined), ("Integer", nil), ("string", nil), ("Binary Data", nil),
        ] as [(String, AttributeType?)])
    func aTypeHasTheNameThatToolsWrite(_ name: String, _ type: AttributeType?) throws {
        let attribute = try attribute("attributeType=\"\(name)\"")
        #expect(attribute.type == type)
        #expect(attribute.typeName == name)
    }

    @Test func anAttributeWithoutATypeIsUndefined() throws {
        #expect(try attribute("transient=\"YES\"").type == .undefined)
        #expect(try attribute("transient=\"YES\"").typeName == nil)
    }

    @Test func whatAnAttributeDoesNotSayIsNOOrNone() throws {
        let attribute = try attribute("attributeType=\"String\"")
        #expect(
            [attribute.isOptional, attribute.isTransient, attribute.isIndexed, attribute.isDerived]
                == [false, false, false, false])
        #expect(
            [attribute.defaultValue, attribute.minimum, attribute.maximum, attribute.pattern]
                == [nil, nil, nil, nil])
    }

    @Test func anAttributeSaysItsFlags() throws {
        let attribute = try attribute("optional=\"YES\" transient=\"YES\" indexed=\"YES\"")
        #expect(
            [attribute.isOptional, attribute.isTransient, attribute.isIndexed]
                == [true, true, true])
    }

    // Old tools wrote a readable copy beside it.
    @Test func theNumberOfADateCountsAndNotItsText() throws {
        let attribute = try attribute(
            "attributeType=\"Date\" minDateTimeInterval=\"1\" minValueString=\"2001\" "
                + "maxDateTimeInterval=\"3\" maxValueString=\"2002\" "
                + "defaultDateTimeInterval=\"2.5\" defaultValueString=\"2001\"")
        #expect(attribute.minimum == "1")
        #expect(attribute.maximum == "3")
        #expect(attribute.defaultValue == "2.5")
    }

    @Test func aDerivedAttributeSaysWhatItIsComputedFrom() throws {
        let attribute = try attribute("derived=\"YES\" derivationExpression=\"items.@count\"")
        #expect(attribute.isDerived)
        #expect(attribute.derivation == "items.@count")
    }

    @Test func aTransformableNamesItsClassAndTransformer() throws {
        let attribute = try attribute("customClassName=\"[A]\" valueTransformerName=\"T\"")
        #expect(attribute.customClassName == "[A]")
        #expect(attribute.valueTransformerName == "T")
    }

    // MARK: - Relationships

    @Test(arguments: [
        ("", false), ("maxCount=\"1\"", false), ("minCount=\"1\" maxCount=\"1\"", false),
        ("toMany=\"YES\"", true), ("toMany=\"NO\"", false), ("maxCount=\"9\"", true),
        ("toMany=\"YES\" minCount=\"1\" maxCount=\"1\"", true),
    ])
    func aToManySaysSoOrHasAMaximumAboveOne(_ attributes: String, _ isToMany: Bool) throws {
        #expect(try relationship(attributes).isToMany == isToMany)
    }

    @Test func aRelationshipSaysItsInverseOrderCountsAndRule() throws {
        let relationship = try relationship(
            "optional=\"YES\" toMany=\"YES\" minCount=\"2\" maxCount=\"9\" ordered=\"YES\" "
                + "deletionRule=\"Cascade\" inverseName=\"b\" inverseEntity=\"Thing\"")
        #expect([relationship.isOptional, relationship.isOrdered] == [true, true])
        #expect(relationship.destination == "Thing")
        #expect(relationship.inverse == "b")
        #expect(relationship.minimumCount == 2)
        #expect(relationship.maximumCount == 9)
        #expect(relationship.deletionRule == "Cascade")
        #expect(try self.relationship("").inverse == nil)
    }
}
