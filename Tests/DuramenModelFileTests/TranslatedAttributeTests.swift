import DuramenModel
import DuramenModelFile
import Foundation
import Testing

/// What the attributes of a document become in a model, and what is said where they become another
/// thing.
struct TranslatedAttributeTests {
    private func document(
        _ attributes: String, others: String = ""
    ) throws(ModelFileError) -> ModelDocument {
        try Contents.thing("<attribute name=\"a\" \(attributes)/>", others: others)
    }

    /// Expects one finding about the attribute, in its line.
    private func expectFinding(
        _ document: ModelDocument, at property: String = "a",
        _ severity: ModelFinding.Severity = .warning,
        _ location: SourceLocation = #_sourceLocation
    ) {
        let findings = document.findings()
        #expect(findings.map(\.severity) == [severity], sourceLocation: location)
        #expect(findings.first?.entity == "Thing", sourceLocation: location)
        #expect(findings.first?.property == property, sourceLocation: location)
        #expect(findings.first?.place.line == 3, sourceLocation: location)
    }

    // MARK: - Types and flags

    @Test(
        arguments: [
            ("Integer 16", .integer16), ("Integer 32", .integer32), ("Integer 64", .integer64),
            ("Decimal", .decimal), ("Double", .double), ("Float", .float), ("String", .string),
            ("Boolean", .boolean), ("Date", .date), ("Binary", .binaryData), ("UUID", .uuid),
            ("URI", .uri),
        ] as [(String, AttributeType)])
    func aTypeIsThatOfTheModel(_ name: String, _ type: AttributeType) throws {
        let document = try document("attributeType=\"\(name)\"")
        #expect(try document.attribute() == AttributeDescription("a", type))
        #expect(document.findings() == [])
    }

    @Test func flagsNotesAndModifiersAreThoseOfTheModel() throws {
        let document = try Contents.thing(
            "<attribute name=\"a\" attributeType=\"Binary\" optional=\"YES\" elementID=\"b\" "
                + "allowsExternalBinaryDataStorage=\"YES\" preserveAfterDeletion=\"YES\" "
                + "versionHashModifier=\"3\"><userInfo><entry key=\"k\" value=\"v\"/>"
                + "<entry key=\"l\"/></userInfo></attribute>")
        let attribute = AttributeDescription(
            "a", .binaryData, isOptional: true, allowsExternalBinaryDataStorage: true,
            preservesValueInHistoryOnDeletion: true, renamingIdentifier: "b",
            versionHashModifier: "3", userInfo: ["k": "v", "l": ""])
        #expect(try document.attribute() == attribute)
    }

    @Test func anIdentifierThatIsTheOwnNameIsNoRenaming() throws {
        let document = try document("attributeType=\"String\" elementID=\"a\"")
        #expect(try document.attribute()?.renamingIdentifier == nil)
    }

    @Test func aTransientAttributeMayBeOfNoType() throws {
        let document = try document("transient=\"YES\"")
        let attribute = AttributeDescription("a", .undefined, isTransient: true)
        #expect(try document.attribute() == attribute)
        #expect(document.findings() == [])
    }

    @Test(arguments: ["attributeType=\"Color\"", "attributeType=\"Undefined\"", ""])
    func aStoredAttributeOfNoKnownTypeIsLeftOutWithAWarning(_ attributes: String) throws {
        let document = try document(attributes)
        #expect(try document.attribute() == nil)
        expectFinding(document)
    }

    @Test func aDerivedAttributeSaysWhatItIsDerivedFrom() throws {
        let document = try document(
            "optional=\"YES\" attributeType=\"Date\" derived=\"YES\" derivationExpression=\" now() \""
        )
        #expect(
            try document.attribute()
                == AttributeDescription("a", .date, isOptional: true).derived(from: "now()"))
        #expect(document.findings().isEmpty)
    }

    @Test func whatIsDerivedFromNothingThatIsThereIsAnError() throws {
        let document = try document(
            "optional=\"YES\" attributeType=\"Integer 64\" derived=\"YES\" "
                + "derivationExpression=\"items.@count\"")
        #expect(throws: ModelFileError.self) { try document.model() }
        #expect(document.findings().map(\.severity) == [.error])
    }

    @Test(arguments: ["items.@max", ""])
    func aDerivedAttributeOfAnotherKindIsReadAsItIsStored(_ expression: String) throws {
        let document = try document(
            "optional=\"YES\" attributeType=\"Integer 64\" derived=\"YES\" "
                + "derivationExpression=\"\(expression)\"")
        let attribute = AttributeDescription("a", .integer64, isOptional: true)
        #expect(try document.attribute() == attribute)
        expectFinding(document)
    }

    // MARK: - Defaults

    @Test(
        arguments: [
            ("Integer 16", "-7", .integer(-7)), ("Integer 32", "0.0", .integer(0)),
            ("Integer 64", "9223372036854775807", .integer(.max)), ("Double", "0.5", .double(0.5)),
            ("Float", "3", .double(3)), ("Decimal", "0", .decimal(0)),
            ("Decimal", "0.0", .decimal(0)),
            ("Decimal", "-4.5", .decimal(Decimal(-45) / 10)), ("Boolean", "YES", .boolean(true)),
            ("Integer 16", "YES", .integer(1)), ("Integer 32", "no", .integer(0)),
            ("Integer 64", "true", .integer(1)), ("Double", "NO", .double(0)),
            ("Float", "True", .double(1)), ("Decimal", "YES", .decimal(1)),
            ("Decimal", "false", .decimal(0)),
            ("Boolean", "NO", .boolean(false)), ("Boolean", "TRUE", .boolean(true)),
            ("Boolean", "FALSE", .boolean(false)), ("Boolean", "true", .boolean(true)),
            ("Boolean", "false", .boolean(false)), ("Boolean", "1", .boolean(true)),
            ("Boolean", "0", .boolean(false)), ("String", "x &amp; y", .text("x & y")),
            ("String", "", .text("")), ("URI", "https://a.b/", .uri("https://a.b/")),
            ("Integer 32", "", .null),
        ] as [(String, String, StoredValue)])
    func aDefaultIsAValueOfItsType(_ type: String, _ text: String, _ value: StoredValue) throws {
        let document = try document("attributeType=\"\(type)\" defaultValueString=\"\(text)\"")
        #expect(try document.attribute()?.defaultValue == value)
        #expect(document.findings() == [])
    }

    @Test func aDateIsInSecondsSinceTheYear2001() throws {
        let document = try document("attributeType=\"Date\" defaultDateTimeInterval=\"-3600.5\"")
        let date = Date(timeIntervalSinceReferenceDate: -3600.5)
        #expect(try document.attribute()?.defaultValue == .date(date))
    }

    @Test func aDefaultIdentifierIsReadFromItsText() throws {
        let text = "E621E1F8-C36C-495A-93FC-0C247A3E6E5F"
        let document = try document("attributeType=\"UUID\" defaultValueString=\"\(text)\"")
        #expect(try document.attribute()?.defaultValue == UUID(uuidString: text).map { .uuid($0) })
    }

    // A value of the model is never -0.0 (StoredValue).
    @Test func aNegativeZeroIsZero() throws {
        let document = try document("attributeType=\"Double\" defaultValueString=\"-0.0\"")
        guard case .double(let number) = try document.attribute()?.defaultValue else {
            Issue.record("no number")
            return
        }
        #expect(number.sign == .plus)
    }

    @Test(arguments: [
        ("UUID", "empy"), ("Boolean", "perhaps"), ("Integer 16", "40000"), ("Integer 32", "maybe"),
        ("Integer 64", "1.5"), ("Integer 64", "1e30"), ("Double", "nan"), ("Float", "1e300"),
        ("Decimal", "4x"), ("Decimal", "1e999"), ("Decimal", "NaN"),
        ("Date", "2013-04-23 12:00:00 +0000"), ("Date", "inf"), ("Binary", "%"),
    ])
    func aDefaultThatIsNonsenseIsLeftOutWithAWarning(_ type: String, _ text: String) throws {
        let document = try document("attributeType=\"\(type)\" defaultValueString=\"\(text)\"")
        #expect(try document.attribute()?.defaultValue == .null)
        expectFinding(document)
    }

    // MARK: - Rules

    @Test func limitsAreNumbersOrDatesOfTheType() throws {
        let decimal = try document(
            "attributeType=\"Decimal\" minValueString=\"-4.5\" maxValueString=\"4.5\"")
        #expect(try decimal.attribute()?.rules.minimum == .decimal(Decimal(-45) / 10))
        #expect(try decimal.attribute()?.rules.maximum == .decimal(Decimal(45) / 10))
        let date = try document("attributeType=\"Date\" minDateTimeInterval=\"10\"")
        let minimum = Date(timeIntervalSinceReferenceDate: 10)
        #expect(try date.attribute()?.rules.minimum == .date(minimum))
        #expect(try date.attribute()?.rules.maximum == .null)
    }

    @Test func limitsOfTextAreLengths() throws {
        let document = try document(
            "attributeType=\"String\" minValueString=\"1\" maxValueString=\"64\" "
                + "regularExpressionString=\"^[a-z]+$\"")
        let rules = try document.attribute()?.rules
        #expect(rules?.minimumLength == 1)
        #expect(rules?.maximumLength == 64)
        #expect(rules?.pattern == "^[a-z]+$")
        #expect(rules?.minimum == .null)
    }

    @Test(arguments: [
        "attributeType=\"Integer 32\" minValueString=\"few\"",
        "attributeType=\"Integer 16\" maxValueString=\"40000\"",
        "attributeType=\"Double\" minValueString=\"2\" maxValueString=\"1\"",
        "attributeType=\"String\" maxValueString=\"-1\"",
        "attributeType=\"String\" minValueString=\"long\"",
        "attributeType=\"String\" regularExpressionString=\"(\"",
        "attributeType=\"Boolean\" minValueString=\"1\"",
    ])
    func aRuleThatNothingFulfilsIsLeftOutWithAWarning(_ attributes: String) throws {
        let document = try document(attributes)
        #expect(try document.attribute()?.rules.isEmpty == true)
        expectFinding(document)
    }

    // MARK: - Transformables

    @Test func aTransformableIsOfTheTypeThatIsRegisteredForItsClass() throws {
        let document = try document("attributeType=\"Transformable\" customClassName=\"[String]\"")
        let type = CodableType("[String]", [String].self)
        let attribute = try document.model(codableTypes: [type]).descriptions.first?.attributes
            .first
        #expect(attribute?.type == .transformable)
        #expect(attribute?.codableType == type)
        #expect(document.findings(codableTypes: [type]) == [])
        #expect(document.findings() == [])
    }

    @Test(arguments: ["", "customClassName=\"NSAttributedString\"", "valueTransformerName=\"T\""])
    func aTransformableOfNoRegisteredTypeIsBinaryDataWithANote(_ attributes: String) throws {
        let document = try document("attributeType=\"Transformable\" \(attributes)")
        #expect(try document.attribute()?.type == .binaryData)
        expectFinding(document, at: "a", .note)
    }

    // MARK: - Composites

    @Test func aCompositeIsItsElements() throws {
        let document = try document(
            "attributeType=\"Composite\" optional=\"YES\" composite=\"Place\"",
            others: "<composite name=\"Place\"><attribute name=\"point\" "
                + "attributeType=\"Composite\" composite=\"Point\"/><attribute name=\"city\" "
                + "optional=\"YES\" attributeType=\"String\"/></composite><composite "
                + "name=\"Point\"><attribute name=\"x\" attributeType=\"Double\"/></composite>")
        let point = AttributeDescription.composite(
            "point", elements: [AttributeDescription("x", .double)])
        let city = AttributeDescription("city", .string, isOptional: true)
        let place = AttributeDescription.composite("a", isOptional: true, elements: [point, city])
        #expect(try document.attribute() == place)
        #expect(document.findings() == [])
    }

    @Test(arguments: ["composite=\"Other\"", ""])
    func aMissingCompositeIsLeftOutWithAWarning(_ attributes: String) throws {
        let document = try document("attributeType=\"Composite\" \(attributes)")
        #expect(try document.attribute() == nil)
        expectFinding(document)
    }

    @Test func anEmptyCompositeIsLeftOutWithANote() throws {
        let document = try document(
            "attributeType=\"Composite\" composite=\"C\"", others: "<composite name=\"C\"/>")
        #expect(try document.attribute() == nil)
        expectFinding(document, at: "a", .note)
    }

    @Test func aCompositeWithinItselfIsLeftOutWithAWarning() throws {
        let document = try document(
            "attributeType=\"Composite\" composite=\"C\"",
            others: "<composite name=\"C\"><attribute name=\"x\" attributeType=\"Double\"/>"
                + "<attribute name=\"next\" attributeType=\"Composite\" composite=\"C\"/></composite>"
        )
        let elements = [AttributeDescription("x", .double)]
        #expect(try document.attribute() == .composite("a", elements: elements))
        expectFinding(document, at: "a.next")
    }

    @Test func aTransientCompositeDoesNotBecomeAStoredOneUnsaid() throws {
        let document = try document(
            "attributeType=\"Composite\" transient=\"YES\" composite=\"C\"",
            others:
                "<composite name=\"C\"><attribute name=\"x\" attributeType=\"Double\"/></composite>"
        )
        #expect(document.findings().contains { $0.severity > .note })
    }
}
