import DuramenModel
import DuramenModelFile
import Testing

/// What entities and relationships of a document become in a model, and which documents become
/// none.
struct ModelTranslationTests {
    private static let pair = """
        <entity name="Book"><relationship name="author" OWN maxCount="1" deletionRule="Deny"
        destinationEntity="Author" inverseName="books" inverseEntity="Author"/></entity>
        <entity name="Author"><relationship name="books" optional="YES" toMany="YES" BACK
        deletionRule="Cascade" destinationEntity="Book" inverseName="author"
        inverseEntity="Book"/></entity>
        """

    private func expectFinding(
        _ document: ModelDocument, at property: String?, line: Int,
        _ severity: ModelFinding.Severity = .warning,
        _ location: SourceLocation = #_sourceLocation
    ) {
        let findings = document.findings()
        #expect(findings.map(\.severity) == [severity], sourceLocation: location)
        #expect(findings.first?.entity == "Thing", sourceLocation: location)
        #expect(findings.first?.property == property, sourceLocation: location)
        #expect(findings.first?.place.line == line, sourceLocation: location)
    }

    /// Expects that the model cannot be used, for reasons in these lines.
    private func expectErrors(
        _ document: ModelDocument, lines: [Int], _ location: SourceLocation = #_sourceLocation
    ) {
        let errors = document.findings().filter { $0.severity == .error }
        #expect(errors.map(\.place.line) == lines, sourceLocation: location)
        let error = #expect(throws: ModelFileError.self, sourceLocation: location) {
            try document.model()
        }
        #expect(error?.code == .unusable, sourceLocation: location)
        #expect(error?.place.map { lines.contains($0.line) } == true, sourceLocation: location)
    }

    // MARK: - Entities

    @Test func anEntityIsThatOfTheModel() throws {
        let document = try Contents.model(
            "<entity name=\"A\" isAbstract=\"YES\" elementID=\"Old\" versionHashModifier=\"1\">"
                + "<attribute name=\"a\" attributeType=\"String\"/><uniquenessConstraints>"
                + "<uniquenessConstraint><constraint value=\"a\"/></uniquenessConstraint>"
                + "</uniquenessConstraints><userInfo><entry key=\"k\" value=\"v\"/></userInfo></entity>"
                + "<entity name=\"B\" parentEntity=\"A\"/>")
        let parent = EntityDescription(
            name: "A", isAbstract: true, renamingIdentifier: "Old", versionHashModifier: "1",
            attributes: [AttributeDescription("a", .string)], uniquenessConstraints: [["a"]],
            userInfo: ["k": "v"])
        #expect(try document.description(of: "A") == parent)
        #expect(try document.description(of: "B") == EntityDescription(name: "B", superentity: "A"))
        #expect(document.findings() == [])
    }

    @Test func anIdentifierThatIsTheEntitysNameIsNoRenaming() throws {
        let document = try Contents.model("<entity name=\"A\" elementID=\"A\"/>")
        #expect(try document.description(of: "A")?.renamingIdentifier == nil)
    }

    @Test func versionsAndConfigurationsAreThoseOfTheModel() throws {
        let text =
            "<model userDefinedModelVersionIdentifier=\"v2\"><entity name=\"A\"/>"
            + "<configuration name=\"Core\"><memberEntity name=\"A\"/></configuration></model>"
        let model = try ModelDocument(contents: Array(text.utf8)).model()
        #expect(model.versionIdentifiers == ["v2"])
        #expect(model.configurations == [ConfigurationDescription("Core", entities: ["A"])])
    }

    @Test func indexesOfEverySpellingAreThoseOfTheModel() throws {
        let document = try Contents.thing(
            "<attribute name=\"a\" attributeType=\"String\" indexed=\"YES\"/>"
                + "<attribute name=\"b\" attributeType=\"String\"/><fetchIndex name=\"n\">"
                + "<fetchIndexElement property=\"b\" type=\"Binary\" order=\"descending\"/></fetchIndex>"
                + "<compoundIndexes><compoundIndex><index value=\"a\"/><index value=\"b\"/>"
                + "</compoundIndex></compoundIndexes>")
        let named = IndexDescription(name: "n", elements: [.init("b", isAscending: false)])
        let indexes = try document.description(of: "Thing")?.indexes
        #expect(indexes == [named, IndexDescription("a", "b"), IndexDescription("a")])
        #expect(document.findings() == [])
    }

    @Test(arguments: [
        "<fetchIndex name=\"n\"><fetchIndexElement property=\"a\" type=\"RTree\"/></fetchIndex>",
        "<fetchIndex name=\"n\"><fetchIndexElement expression=\"a\" type=\"Binary\"/></fetchIndex>",
        "<fetchIndex name=\"n\" partialIndexPredicate=\"a > 1\">"
            + "<fetchIndexElement property=\"a\" type=\"Binary\"/></fetchIndex>",
    ])
    func anIndexThatCannotBeSaidIsLeftOutWithANote(_ index: String) throws {
        let document = try Contents.thing(
            "<attribute name=\"a\" attributeType=\"Double\"/>\(index)")
        #expect(try document.description(of: "Thing")?.indexes == [])
        expectFinding(document, at: nil, line: 2, .note)
    }

    // Indexes change no answer, so that one without a name of its own makes no model unusable.
    @Test func anIndexOverLongNamesDoesNotMakeTheModelUnusable() throws {
        let names = ["a", "b"].map { String(repeating: $0, count: 120) }
        let attributes = names.map { "<attribute name=\"\($0)\" attributeType=\"String\"/>" }
        let document = try Contents.thing(
            attributes.joined() + "<compoundIndexes><compoundIndex>"
                + names.map { "<index value=\"\($0)\"/>" }.joined()
                + "</compoundIndex></compoundIndexes>")
        #expect(try document.description(of: "Thing")?.attributes.map(\.name) == names)
    }

    @Test func aConstraintOverWhatIsNotStoredIsLeftOutWithAWarning() throws {
        let document = try Contents.thing(
            "<uniquenessConstraints><uniquenessConstraint><constraint value=\"gone\"/>"
                + "</uniquenessConstraint></uniquenessConstraints>")
        #expect(try document.description(of: "Thing")?.uniquenessConstraints == [])
        expectFinding(document, at: "gone", line: 2)
    }

    @Test func aFetchedPropertyIsLeftOutWithAWarning() throws {
        let document = try Contents.thing("<fetchedProperty name=\"f\"/>")
        expectFinding(document, at: "f", line: 3)
    }

    // MARK: - Relationships

    @Test func aRelationshipIsThatOfTheModelAndSoIsItsInverse() throws {
        let text = Self.pair.replacing(
            "OWN", with: "elementID=\"writer\" versionHashModifier=\"1\""
        )
        .replacing("BACK", with: "minCount=\"2\" maxCount=\"9\" ordered=\"YES\"")
        let document = try Contents.model(text)
        let author = RelationshipDescription.toOne(
            "author", destination: "Author", isOptional: false, deleteRule: .deny, inverse: "books",
            renamingIdentifier: "writer", versionHashModifier: "1")
        let books = RelationshipDescription.toMany(
            "books", destination: "Book", deleteRule: .cascade, inverse: "author", isOrdered: true,
            minimumCount: 2, maximumCount: 9)
        #expect(try document.description(of: "Book")?.relationships == [author])
        #expect(try document.description(of: "Author")?.relationships == [books])
        #expect(document.findings() == [])
    }

    @Test(
        arguments: [
            ("Nullify", .nullify), ("Cascade", .cascade), ("Deny", .deny), ("No Action", .noAction),
        ] as [(String, DeleteRule)])
    func aDeleteRuleHasTheNameThatToolsWrite(_ name: String, _ rule: DeleteRule) throws {
        let document = try Contents.thing(
            "<relationship name=\"r\" destinationEntity=\"Thing\" deletionRule=\"\(name)\"/>")
        #expect(try document.relationship()?.deleteRule == rule)
        #expect(document.findings() == [])
    }

    @Test func anUnknownDeleteRuleIsReported() throws {
        let document = try Contents.thing(
            "<relationship name=\"r\" destinationEntity=\"Thing\" deletionRule=\"Explode\"/>")
        expectFinding(document, at: "r", line: 3)
    }

    @Test func aRelationshipMayHaveNoInverse() throws {
        let document = try Contents.thing(
            "<relationship name=\"r\" optional=\"YES\" toMany=\"YES\" deletionRule=\"Nullify\" "
                + "destinationEntity=\"Thing\"/>")
        #expect(try document.relationship() == .toMany("r", destination: "Thing"))
        #expect(document.findings() == [])
    }

    @Test func aToOneWhoseInverseDoesNotLeadBackIsReadAsOneWithout() throws {
        let document = try Contents.thing(
            "<relationship name=\"r\" optional=\"YES\" maxCount=\"1\" deletionRule=\"Nullify\" "
                + "destinationEntity=\"Thing\" inverseName=\"gone\" inverseEntity=\"Thing\"/>")
        #expect(try document.relationship() == .toOne("r", destination: "Thing"))
        expectFinding(document, at: "r", line: 3)
    }

    @Test func aToManyWhoseInverseDoesNotLeadBackIsLeftOut() throws {
        let document = try Contents.thing(
            "<relationship name=\"r\" toMany=\"YES\" deletionRule=\"Nullify\" "
                + "destinationEntity=\"Thing\" inverseName=\"gone\" inverseEntity=\"Thing\"/>")
        #expect(try document.relationship() == nil)
        expectFinding(document, at: "r", line: 3)
    }

    @Test func aRelationshipToAnEntityThatIsMissingIsLeftOut() throws {
        let document = try Contents.thing(
            "<relationship name=\"r\" deletionRule=\"Nullify\" destinationEntity=\"Gone\"/>")
        #expect(try document.relationship() == nil)
        expectFinding(document, at: "r", line: 3)
    }

    // MARK: - Models that cannot be used

    @Test func aCircleOfParentsIsAnErrorAtEachOfThem() throws {
        expectErrors(
            try Contents.model(
                "<entity name=\"A\" parentEntity=\"B\"/>\n<entity name=\"B\" parentEntity=\"C\"/>\n"
                    + "<entity name=\"C\" parentEntity=\"A\"/>\n<entity name=\"D\"/>"),
            lines: [2, 3, 4])
        expectErrors(try Contents.model("<entity name=\"A\" parentEntity=\"A\"/>"), lines: [2])
    }

    @Test func aParentThatIsMissingIsAnError() throws {
        expectErrors(
            try Contents.model("<entity name=\"A\"/>\n<entity name=\"B\" parentEntity=\"Z\"/>"),
            lines: [3])
    }

    @Test func anEntityOfANameThatIsTakenIsAnErrorAtTheSecond() throws {
        expectErrors(
            try Contents.model("<entity name=\"A\"/>\n<entity name=\"A\"/>"), lines: [3])
    }

    @Test func aPropertyOfANameThatIsTakenIsAnErrorAtTheSecond() throws {
        expectErrors(
            try Contents.thing(
                "<attribute name=\"a\" attributeType=\"String\"/>\n"
                    + "<attribute name=\"a\" attributeType=\"Date\"/>"), lines: [4])
    }

    @Test func aPropertyWithADotInItsNameIsAnErrorAtItsPlace() throws {
        expectErrors(
            try Contents.thing("<attribute name=\"a.b\" attributeType=\"String\"/>"), lines: [3])
    }

    @Test func aConfigurationOfAnEntityThatIsMissingIsAnError() throws {
        expectErrors(
            try Contents.model(
                "<entity name=\"A\"/>\n<configuration name=\"C\"><memberEntity name=\"Z\"/>"
                    + "</configuration>"), lines: [3])
    }

    // It cannot be told which of the two an attribute means.
    @Test func aCompositeOfANameThatIsTakenIsReported() throws {
        let composite =
            "\n<composite name=\"C\"><attribute name=\"a\" attributeType=\"Date\"/></composite>"
        let document = try Contents.model(composite + composite)
        #expect(document.findings().contains { $0.severity > .note && $0.entity == "C" })
    }
}
