import DuramenModel
import DuramenModelFile
import Testing

/// Which changes of a file make another version of the model to stores.
struct ModelChecksumTests {
    private static let base = """
        <entity name="Book" representedClassName="Book" syncable="YES">
        <attribute name="title" optional="YES" attributeType="String" defaultValueString="none"/>
        <attribute name="pages" attributeType="Integer 32" usesScalarValueType="YES" indexed="YES"/>
        <attribute name="cover" optional="YES" attributeType="Binary"/>
        <attribute name="size" attributeType="Composite" composite="Size"/>
        <relationship name="author" optional="YES" maxCount="1" deletionRule="Nullify"
        destinationEntity="Author" inverseName="books" inverseEntity="Author"/>
        <fetchIndex name="n"><fetchIndexElement property="title" order="ascending"/></fetchIndex>
        <userInfo><entry key="k" value="v"/></userInfo>
        </entity>
        <entity name="Author">
        <relationship name="books" optional="YES" toMany="YES" deletionRule="Cascade"
        destinationEntity="Book" inverseName="author" inverseEntity="Book"/>
        </entity>
        <composite name="Size"><attribute name="width" attributeType="Double"/></composite>
        """

    private func checksum(_ elements: String) throws -> String {
        try Contents.model(elements).model().versionChecksum
    }

    private func changed(_ old: String, _ new: String) throws -> String {
        try #require(Self.base.contains(old))
        return Self.base.replacing(old, with: new)
    }

    @Test(arguments: [
        ("representedClassName=\"Book\"", "representedClassName=\".Volume\""),
        ("representedClassName=\"Book\"", "codeGenerationType=\"class\""),
        ("defaultValueString=\"none\"", "defaultValueString=\"some\""),
        ("defaultValueString=\"none\"", ""), ("value=\"v\"", "value=\"w\""),
        ("indexed=\"YES\"", ""), ("order=\"ascending\"", "order=\"descending\""),
        ("name=\"n\"", "name=\"m\""), ("usesScalarValueType=\"YES\"", ""),
        ("\"Cascade\"", "\"Deny\""), ("syncable=\"YES\"", ""),
        ("name=\"pages\"", "name=\"pages\" elementID=\"leaves\""),
        ("name=\"title\"", "name=\"title\" maxValueString=\"9\""),
        ("<entity name=\"Author\">", "<elements/><entity name=\"Author\">"),
    ])
    func whatStoresDoNotKnowMakesNoOtherVersion(_ old: String, _ new: String) throws {
        #expect(try checksum(changed(old, new)) == checksum(Self.base))
    }

    @Test(arguments: [
        ("\"title\"", "\"name\""), ("\"Author\"", "\"Writer\""),
        ("\"Integer 32\"", "\"Integer 64\""),
        ("name=\"title\" optional=\"YES\"", "name=\"title\""),
        ("name=\"pages\"", "name=\"pages\" optional=\"YES\""),
        ("name=\"author\" optional=\"YES\"", "name=\"author\""), ("\"books\"", "\"works\""),
        ("\"author\"", "\"writer\""), ("toMany=\"YES\"", "toMany=\"YES\" ordered=\"YES\""),
        ("toMany=\"YES\"", "toMany=\"YES\" maxCount=\"9\""),
        ("toMany=\"YES\"", "toMany=\"YES\" minCount=\"1\""),
        ("name=\"title\"", "name=\"title\" versionHashModifier=\"1\""),
        ("name=\"author\"", "name=\"author\" versionHashModifier=\"1\""),
        ("<entity name=\"Book\"", "<entity name=\"Book\" versionHashModifier=\"1\""),
        ("<entity name=\"Book\"", "<entity name=\"Book\" isAbstract=\"YES\""),
        ("<entity name=\"Book\"", "<entity name=\"Book\" parentEntity=\"Author\""),
        ("name=\"pages\"", "name=\"pages\" transient=\"YES\""),
        ("\"Binary\"", "\"Binary\" allowsExternalBinaryDataStorage=\"YES\""),
        ("name=\"width\"", "name=\"height\""), ("\"Double\"", "\"Float\""),
        (
            "<userInfo>",
            "<uniquenessConstraints><uniquenessConstraint><constraint value=\"title\"/>"
                + "</uniquenessConstraint></uniquenessConstraints><userInfo>"
        ),
    ])
    func whatStoresKnowMakesAnotherVersion(_ old: String, _ new: String) throws {
        #expect(try checksum(changed(old, new)) != checksum(Self.base))
    }

    @Test func theOrderOfTheFileMakesNoOtherVersion() throws {
        let parts = Self.base.split(separator: "</entity>\n")
        try #require(parts.count == 3)
        let other = "\(parts[2])\(parts[1])</entity>\(parts[0])</entity>"
        #expect(try checksum(other) == checksum(Self.base))
    }

    @Test func theNameOfACompositeMakesNoOtherVersion() throws {
        #expect(try checksum(changed("\"Size\"", "\"Extent\"")) == checksum(Self.base))
    }

    @Test func theVersionsNameMakesNoOtherVersion() throws {
        let text = "<model userDefinedModelVersionIdentifier=\"2\">\(Self.base)</model>"
        let model = try ModelDocument(contents: Array(text.utf8)).model()
        #expect(try model.versionChecksum == checksum(Self.base))
    }
}
