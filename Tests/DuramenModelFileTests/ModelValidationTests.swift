import DuramenModel
import DuramenModelFile
import Foundation
import StoreTestSupport
import Testing

/// What is said about models: all of it at once, and each thing as much as it matters.
struct ModelValidationTests {
    private let folder = TemporaryFolder()

    /// Writes a bundle of versions and looks at it.
    private func validation(_ versions: [String: String]) throws -> ModelValidation {
        let path = folder.file("Shop.xcdatamodeld")
        for (name, text) in versions {
            let version = "\(path)/\(name).xcdatamodel"
            try FileManager.default.createDirectory(
                atPath: version, withIntermediateDirectories: true)
            try writeFile(version + "/contents", text)
        }
        return try ModelValidation(path: path)
    }

    private func lines(_ validation: ModelValidation, of version: String) -> [String] {
        validation.lines.filter { $0.contains("/\(version).xcdatamodel/") }
    }

    @Test func noVersionHidesAnother() throws {
        let validation = try validation([
            "A": "<model>\n<entity/>\n<entity name=\"B\" isAbstract=\"perhaps\"/>\n</model>",
            "B": "<model", "C": "<other/>",
            "D": "<model>\n<entity name=\"D\" parentEntity=\"Gone\"/></model>",
        ])
        #expect(lines(validation, of: "A").count == 2)
        #expect(lines(validation, of: "A").first?.contains(":2:1: error: 'entity' needs") == true)
        #expect(
            lines(validation, of: "A").last?.contains(":3:1: error: 'isAbstract' of 'B'") == true)
        #expect(lines(validation, of: "B").count == 1)
        #expect(lines(validation, of: "C").count == 1)
        #expect(lines(validation, of: "D").count == 1)
        #expect(validation.lines.count == 5)
        #expect(validation.worst == .error)
        #expect(validation.versionCount.read == 2)
    }

    @Test func noMistakeOfAModelHidesAnother() throws {
        let lines = try validation([
            "A": """
            <model>
            <entity name="A">
            <attribute name="a.b" attributeType="String"/>
            <attribute name="c" attributeType="String" derived="YES" derivationExpression="gone"/>
            <attribute name="d" attributeType="String" optional="maybe"/>
            <relationship name="e" destinationEntity="Gone"/>
            </entity>
            <composite name="F"/>
            <composite name="F"/>
            <configuration name="G"><memberEntity name="Gone"/></configuration>
            </model>
            """
        ]).lines
        let errors = lines.filter { $0.contains(": error: ") }
        let places = errors.compactMap { $0.firstMatch(of: /contents:(\d+):/)?.output.1 }
        #expect(Set(places) == ["3", "4", "5", "9", "10"])
        // A relationship to what is not there is left out.
        #expect(lines.contains { $0.contains(":6:1: warning: A.e: ") })
    }

    // MARK: - Derived attributes

    private static let owner = """
        <entity name="Owner"><relationship name="things" toMany="YES" optional="YES"
        destinationEntity="Thing" inverseName="owner"/>
        <attribute name="number" optional="YES" attributeType="Integer 64"/></entity>
        """

    @Test(arguments: [
        ("String", "number"), ("Integer 32", "text.@count"), ("Integer 64", "owner.things.@count"),
        ("String", "upper"), ("Integer 64", "uppercase:(text)"), ("Double", "others.number.@sum"),
        ("Double", "owner.number"), ("Date", "max(number)"), ("String", "others.text"),
    ])
    func oneDerivationThatNoStoreHereKnowsLeavesTheModelUsable(
        _ type: String, _ expression: String
    ) throws {
        let document = try Contents.thing(
            """
            <attribute name="a" optional="YES" attributeType="\(type)" derived="YES" \
            derivationExpression="\(expression)"/>
            <attribute name="number" optional="YES" attributeType="Integer 64"/>
            <attribute name="text" optional="YES" attributeType="String"/>
            <attribute name="upper" optional="YES" attributeType="String" derived="YES" \
            derivationExpression="uppercase:(text)"/>
            <relationship name="owner" optional="YES" maxCount="1" destinationEntity="Owner"
            inverseName="things"/>
            <relationship name="others" optional="YES" toMany="YES" destinationEntity="Thing"/>
            """, others: Self.owner)
        let entity = try #require(try document.model().entity(named: "Thing"))
        let derived = entity.attributes.filter { $0.derivation != nil }.map(\.name)
        #expect(derived == ["upper"])
        #expect(entity.attributes.contains { $0.name == "a" })
        let findings = document.findings()
        #expect(findings.map(\.severity) == [.warning])
        #expect(findings.first?.property == "a")
        #expect(findings.first?.place.line == 3)
        #expect(try document.generatedModel().derivations.count == 1)
    }

    @Test func anElementOfACompositeThatIsDerivedIsReadAsItIsStored() throws {
        let document = try Contents.thing(
            "<attribute name=\"a\" attributeType=\"Composite\" composite=\"C\"/>",
            others:
                "<composite name=\"C\"><attribute name=\"x\" attributeType=\"Date\" derived=\"YES\" "
                + "derivationExpression=\"now()\"/></composite>")
        #expect(try document.model().derivations.isEmpty)
        #expect(document.findings().map(\.property) == ["a.x"])
    }

    // MARK: - Configurations

    @Test func aConfigurationWithoutASuperentityIsAWarning() throws {
        let document = try Contents.model(
            """
            <entity name="A"/><entity name="B" parentEntity="A"/>
            <configuration name="Part"><memberEntity name="B"/></configuration>
            """)
        let model = try document.model()
        #expect(model.entities.count == 2)
        #expect(model.configurations.map(\.name) == ["Part"])
        #expect(document.findings().map(\.severity) == [.warning])
        #expect(document.findings().first?.place.line == 3)
        #expect(throws: (any Error).self) { try model.submodel(forConfiguration: "Part") }
    }

    // MARK: - How much a finding matters

    @Test(arguments: [
        "<attribute name=\"a\" attributeType=\"Transformable\" customClassName=\"NSArray\"/>",
        "<attribute name=\"a\" attributeType=\"Composite\" composite=\"Empty\"/>",
        "<attribute name=\"a\" attributeType=\"Double\"/><fetchIndex name=\"i\" "
            + "partialIndexPredicate=\"a &gt; 1\"><fetchIndexElement property=\"a\"/></fetchIndex>",
    ])
    func whatLosesNothingIsANote(_ property: String) throws {
        let document = try Contents.thing(property, others: "<composite name=\"Empty\"/>")
        #expect(document.findings().map(\.severity) == [.note])
    }

    @Test(arguments: [
        "<attribute name=\"a\" attributeType=\"Boolean\" defaultValueString=\"maybe\"/>",
        "<attribute name=\"a\" attributeType=\"Date\" derived=\"YES\" derivationExpression=\"x()\"/>",
        "<attribute name=\"a\" attributeType=\"Object ID\"/>",
        "<fetchedProperty name=\"a\"/>",
    ])
    func whatSomebodyShouldChangeIsAWarning(_ property: String) throws {
        #expect(try Contents.thing(property).findings().map(\.severity) == [.warning])
    }

    // MARK: - Size

    /// A chain of entities, each below the one before, against the order of their names.
    private func chain(_ levels: Int, _ properties: (Int) -> String) throws -> ModelDocument {
        let entities = (0..<levels).map { level in
            let parent = level == 0 ? "" : "parentEntity=\"E\(20_001 - level)\""
            return "<entity name=\"E\(20_000 - level)\" \(parent)>\(properties(level))</entity>"
        }
        return try Contents.model(entities.joined(separator: "\n"))
    }

    // Work for each pair of levels, or a stack for each level, would not end here.
    @Test func aChainOfThousandsOfLevelsIsCheckedAndCompared() throws {
        let levels = 5_000
        func document(_ isMoved: Bool) throws -> ModelDocument {
            try chain(levels) { level in
                let name = isMoved ? levels - level : level
                let attribute =
                    "<attribute name=\"a\(name)\" optional=\"YES\" "
                    + "attributeType=\"String\"/>"
                let index =
                    "<fetchIndex name=\"i\"><fetchIndexElement property=\"key\" type=\"Binary\" "
                    + "order=\"ascending\"/></fetchIndex>"
                if level == 0 { return "<attribute name=\"key\" attributeType=\"UUID\"/>" + index }
                // Few enough that what all entities inherit can be laid out.
                return (level % 50 == 0 ? attribute : "") + index
            }
        }
        let old = try document(false)
        #expect(old.findings().isEmpty)
        let comparison = ModelComparison(from: old, to: try document(true))
        #expect(
            comparison.changes.contains { $0.message == "attribute moved within the hierarchy" })
        #expect(comparison.isInferable)
    }

    // Each level has two of the next: together more than anybody could count.
    @Test func compositesThatDoubleAtEachLevelAreLeftOut() throws {
        let composites = (0..<60).map { level in
            let elements = ["l", "r"].map {
                "<attribute name=\"\($0)\" attributeType=\"Composite\" composite=\"C\(level + 1)\"/>"
            }
            return "<composite name=\"C\(level)\">\(elements.joined())</composite>"
        }
        let document = try Contents.thing(
            "<attribute name=\"a\" attributeType=\"Composite\" composite=\"C0\"/>",
            others: composites.joined()
                + "<composite name=\"C60\"><attribute name=\"x\" attributeType=\"Date\"/></composite>"
        )
        #expect(try document.model().entities.map(\.attributes.count) == [0])
        let findings = document.findings()
        #expect(findings.map(\.severity) == [.warning])
        #expect(findings.first?.property == "a")
    }
}
