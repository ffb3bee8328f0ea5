import DuramenModel
import DuramenModelFile
import Testing

/// What differs between two versions of a model, and what a store needs for it.
struct ModelComparisonTests {
    /// What a change needs, without the reason.
    enum Effect: Sendable {
        case none, inferred, checked, unsettled

        init(_ effect: ModelChange.Effect) {
            switch effect {
            case .none: self = .none
            case .inferred: self = .inferred
            case .checked: self = .checked
            case .unsettled: self = .unsettled
            }
        }
    }

    /// A text of the base, what stands there in the new version, and the one change that this is.
    struct Difference: Sendable {
        let old: String
        let new: String
        let name: String
        let effect: Effect

        init(_ old: String, _ new: String, _ name: String, _ effect: Effect) {
            self.old = old
            self.new = new
            self.name = name
            self.effect = effect
        }
    }

    private static let base = """
        <entity name="Book" representedClassName="Book">
        <attribute name="title" optional="YES" attributeType="String"/>
        <attribute name="pages" attributeType="Integer 32" defaultValueString="0"/>
        <attribute name="price" attributeType="Decimal"/>
        <attribute name="cover" optional="YES" attributeType="Binary"/>
        <attribute name="tags" optional="YES" attributeType="Transformable" customClassName="[A]"/>
        <attribute name="count" optional="YES" attributeType="Integer 64" derived="YES"
        derivationExpression="pages"/>
        <attribute name="size" attributeType="Composite" composite="Size"/>
        <relationship name="author" optional="YES" maxCount="1" deletionRule="Nullify"
        destinationEntity="Author"/>
        <relationship name="readers" optional="YES" toMany="YES" deletionRule="Nullify"
        destinationEntity="Author"/>
        <fetchIndex name="n"><fetchIndexElement property="title"/></fetchIndex>
        <userInfo><entry key="k" value="v"/></userInfo>
        </entity>
        <entity name="Author"><attribute name="born" attributeType="Date"/></entity>
        <composite name="Size"><attribute name="width" optional="YES" attributeType="Double"/></composite>
        <fetchRequest name="all" entity="Book"/>
        <configuration name="Core"><memberEntity name="Author"/></configuration>
        """

    private func compare(_ old: String, _ new: String) throws -> ModelComparison {
        ModelComparison(from: try Contents.model(old), to: try Contents.model(new))
    }

    private func expect(
        _ difference: Difference, _ location: SourceLocation = #_sourceLocation
    ) throws {
        try #require(Self.base.contains(difference.old), sourceLocation: location)
        let new = Self.base.replacing(difference.old, with: difference.new)
        let comparison = try compare(Self.base, new)
        let names = comparison.changes.map {
            [$0.entity, $0.property].compactMap(\.self).joined(separator: ".")
        }
        #expect(names == [difference.name], sourceLocation: location)
        let effects = comparison.changes.map { Effect($0.effect) }
        #expect(effects == [difference.effect], sourceLocation: location)
        #expect(comparison.needsNoMigration == (difference.effect == .none))
        #expect(comparison.isInferable == (difference.effect != .unsettled))
    }

    @Test(arguments: [
        ("attributeType=\"URI\"", "attributeType=\"String\"", true),
        ("attributeType=\"String\"", "attributeType=\"URI\"", true),
        ("attributeType=\"String\"", "attributeType=\"Date\"", false),
        // An encoded value is stored as its bytes.
        ("attributeType=\"Transformable\"", "attributeType=\"Binary\"", true),
        (
            "attributeType=\"Binary\"", "attributeType=\"Transformable\" customClassName=\"[A]\"",
            true
        ),
        ("attributeType=\"String\"", "attributeType=\"Transformable\"", false),
        // No store has values of transient attributes.
        (
            "attributeType=\"String\" transient=\"YES\"",
            "attributeType=\"Date\" transient=\"YES\"",
            true
        ),
        ("attributeType=\"String\"", "attributeType=\"Date\" transient=\"YES\"", true),
        ("attributeType=\"String\" transient=\"YES\"", "attributeType=\"Date\"", true),
    ])
    func aTypeMattersWhereValuesAreStored(_ old: String, _ new: String, isInferable: Bool) throws {
        func model(_ type: String) -> String {
            "<entity name=\"A\"><attribute name=\"x\" optional=\"YES\" \(type)/></entity>"
        }
        let comparison = try compare(model(old), model(new))
        #expect(!comparison.isEmpty)
        #expect(comparison.isInferable == isInferable)
    }

    @Test(arguments: ["", "customClassName=\"NSArray\"", "customClassName=\"[A]\""])
    func aTransformableIsCalledOne(_ type: String) throws {
        func model(_ type: String) -> String {
            "<entity name=\"A\"><attribute name=\"x\" optional=\"YES\" \(type)/></entity>"
        }
        let transformable = model("attributeType=\"Transformable\" \(type)")
        let comparison = try compare(model("attributeType=\"String\""), transformable)
        #expect(comparison.changes.map(\.message) == ["type String is Transformable now"])
        let back = try compare(transformable, model("attributeType=\"Binary\""))
        #expect(back.changes.map(\.message) == ["type Transformable is Binary Data now"])
    }

    @Test func aClassOfObjectiveCIsComparedAsWell() throws {
        func model(_ type: String) -> String {
            "<entity name=\"A\"><attribute name=\"x\" optional=\"YES\" attributeType=\"Transformable\" "
                + "customClassName=\"\(type)\"/></entity>"
        }
        let comparison = try compare(model("NSArray"), model("NSSet"))
        #expect(comparison.changes.map(\.message) == ["class of values NSArray is NSSet now"])
        #expect(comparison.needsNoMigration)
    }

    @Test func equalVersionsDoNotDiffer() throws {
        let comparison = try compare(Self.base, Self.base + "<!-- A comment. -->")
        #expect(comparison.isEmpty)
        #expect(comparison.needsNoMigration)
        #expect(comparison.isInferable)
    }

    @Test(arguments: [
        Difference("</composite>", "</composite><entity name=\"New\"/>", "New", .inferred),
        Difference("name=\"Book\" r", "name=\"Book\" isAbstract=\"YES\" r", "Book", .checked),
        Difference(
            "name=\"Book\" r", "name=\"Book\" versionHashModifier=\"1\" r", "Book", .inferred),
        Difference(
            "name=\"Book\" r", "name=\"Book\" parentEntity=\"Author\" r", "Book", .unsettled),
        Difference(
            "name=\"Book\" r", "name=\"Book\" codeGenerationType=\"class\" r", "Book", .none),
        Difference("=\"Book\">", "=\"Volume\">", "Book", .none),
        Difference("value=\"v\"", "value=\"w\"", "Book", .none),
        Difference("property=\"title\"", "property=\"pages\"", "Book", .none),
        Difference("<fetchRequest name=\"all\" entity=\"Book\"/>", "", "all", .none),
        Difference("name=\"all\"", "name=\"all\" fetchLimit=\"1\"", "all", .none),
        Difference(
            "<configuration name=\"Core\"", "<configuration name=\"Core\" a=\"\"", "Core", .none),
        Difference("<userInfo>", "<fetchedProperty name=\"f\"/><userInfo>", "Book.f", .none),
        Difference(
            "<userInfo>",
            "<uniquenessConstraints><uniquenessConstraint><constraint value=\"title\"/>"
                + "</uniquenessConstraint></uniquenessConstraints><userInfo>", "Book", .checked),
    ])
    func changesOfEntitiesAreSettledByTheirKind(_ difference: Difference) throws {
        try expect(difference)
    }

    private static let added = "<attribute name=\"new\" attributeType=\"String\""

    @Test(arguments: [
        Difference(
            "<fetchIndex ", "\(added) optional=\"YES\"/><fetchIndex ", "Book.new", .inferred),
        Difference("<fetchIndex ", "\(added)/><fetchIndex ", "Book.new", .unsettled),
        Difference(
            "<fetchIndex ", "\(added) defaultValueString=\"\"/><fetchIndex ", "Book.new", .inferred),
        Difference(
            "<fetchIndex ", "\(added) transient=\"YES\"/><fetchIndex ", "Book.new", .inferred),
        Difference(
            "<attribute name=\"price\" attributeType=\"Decimal\"/>", "", "Book.price", .inferred),
        Difference("\"price\"", "\"cost\" elementID=\"price\"", "Book.cost", .inferred),
        Difference("name=\"price\"", "name=\"price\" optional=\"YES\"", "Book.price", .inferred),
        Difference("name=\"title\" optional=\"YES\"", "name=\"title\"", "Book.title", .unsettled),
        Difference("String\"/>", "String\" defaultValueString=\"x\"/>", "Book.title", .none),
        Difference("Integer 32", "Integer 64", "Book.pages", .inferred),
        Difference("Integer 32", "Double", "Book.pages", .inferred),
        Difference("Integer 32", "Integer 16", "Book.pages", .checked),
        Difference("Integer 32", "Decimal", "Book.pages", .inferred),
        Difference("\"String\"", "\"URI\"", "Book.title", .inferred),
        Difference("name=\"cover\"", "name=\"cover\" transient=\"YES\"", "Book.cover", .inferred),
        Difference("\"Binary\"", "\"Binary\" preserveAfterDeletion=\"YES\"", "Book.cover", .none),
        Difference(
            "\"Binary\"", "\"Binary\" allowsExternalBinaryDataStorage=\"YES\"", "Book.cover",
            .inferred),
        Difference("\"cover\"", "\"cover\" versionHashModifier=\"1\"", "Book.cover", .inferred),
        Difference("\"String\"", "\"String\" maxValueString=\"9\"", "Book.title", .none),
        Difference("\"[A]\"", "\"[B]\"", "Book.tags", .inferred),
        Difference("\"[A]\"", "\"[A]\" valueTransformerName=\"T\"", "Book.tags", .none),
        Difference("Expression=\"pages\"", "Expression=\"now()\"", "Book.count", .inferred),
        Difference(
            "name=\"width\"", "name=\"height\" elementID=\"width\"", "Book.size.height", .inferred),
        Difference("\"Double\"/>", "\"String\"/>", "Book.size.width", .unsettled),
        Difference(
            "<composite name=\"Size\">",
            "<composite name=\"Size\"><attribute name=\"x\" attributeType=\"Double\"/>",
            "Book.size.x", .unsettled),
    ])
    func changesOfAttributesAreSettledByTheirKind(_ difference: Difference) throws {
        try expect(difference)
    }

    private static let related = "<relationship name=\"new\" destinationEntity=\"Author\""

    @Test(arguments: [
        Difference(
            "<fetchIndex ", "\(related) optional=\"YES\"/><fetchIndex ", "Book.new", .inferred),
        Difference("<fetchIndex ", "\(related)/><fetchIndex ", "Book.new", .inferred),
        Difference("\"author\"", "\"writer\" elementID=\"author\"", "Book.writer", .inferred),
        Difference(
            "name=\"author\" optional=\"YES\"", "name=\"author\"", "Book.author", .inferred),
        Difference(
            "name=\"author\" optional=\"YES\" maxCount=\"1\"",
            "name=\"author\" optional=\"YES\" toMany=\"YES\"", "Book.author", .inferred),
        Difference("toMany=\"YES\"", "maxCount=\"1\"", "Book.readers", .checked),
        Difference("toMany=\"YES\"", "toMany=\"YES\" ordered=\"YES\"", "Book.readers", .inferred),
        Difference("toMany=\"YES\"", "toMany=\"YES\" maxCount=\"9\"", "Book.readers", .inferred),
        Difference(
            "maxCount=\"1\" deletionRule=\"Nullify\"", "maxCount=\"1\" deletionRule=\"Deny\"",
            "Book.author", .none),
        Difference(
            "maxCount=\"1\" deletionRule=\"Nullify\"\ndestinationEntity=\"Author\"",
            "maxCount=\"1\" deletionRule=\"Nullify\"\ndestinationEntity=\"Book\"", "Book.author",
            .unsettled),
        Difference(
            "\"readers\"", "\"readers\" versionHashModifier=\"1\"", "Book.readers", .inferred),
    ])
    func changesOfRelationshipsAreSettledByTheirKind(_ difference: Difference) throws {
        try expect(difference)
    }
}
