import DuramenModelFile
import Testing

/// What is kept of a document when it is written, and what is said about the rest.
struct ModelDocumentTextTests {
    private static let unknown = """
        <entity name="Thing" future="1">
        <attribute name="a" attributeType="String" renamingIdentifier="b"/>
        <novelty name="n"><deep much="x"/></novelty>
        </entity>
        <prospect kind="k"/>
        """

    @Test func whatIsNotKnownIsWrittenBack() throws {
        let document = try Contents.model(Self.unknown)
        let again = try ModelDocument(contents: Array(document.text.utf8))
        #expect(again == document)
        let entity = try #require(again.entities.first?.element)
        #expect(entity["future"] == "1")
        #expect(entity.child("attribute")?["renamingIdentifier"] == "b")
        #expect(entity.child("novelty")?.child("deep")?["much"] == "x")
        #expect(again.root.child("prospect")?["kind"] == "k")
    }

    @Test func whatIsNotKnownIsNotedWithItsPlace() throws {
        let findings = try Contents.model(Self.unknown).findings()
        #expect(findings.map(\.severity) == [.note, .note, .note, .note])
        #expect(findings.map(\.entity) == ["Thing", "Thing", "Thing", nil])
        #expect(findings.map(\.property) == [nil, "a", "n", nil])
        #expect(findings.map(\.place.line) == [2, 3, 4, 6])
    }

    @Test func textWithinAnElementIsKeptAndNoted() throws {
        let document = try Contents.thing("what?")
        #expect(try ModelDocument(contents: Array(document.text.utf8)) == document)
        #expect(document.entities.first?.element.text == "what?")
        #expect(document.findings().map(\.severity) == [.note])
    }

    @Test func theOrderOfAttributesAndElementsIsKept() throws {
        let text = """
            <?xml version="1.0" encoding="UTF-8" standalone="yes"?>
            <model type="t" documentVersion="1.0">
                <entity syncable="YES" name="E">
                    <userInfo>
                        <entry value="&quot;&amp;&lt;&#10;" key="k"/>
                    </userInfo>
                    <attribute optional="YES" name="a"/>
                </entity>
                <elements>
                    <element name="E" positionX="-262.47" positionY="0" width="1" height="2"/>
                </elements>
            </model>

            """
        #expect(try ModelDocument(contents: Array(text.utf8)).text == text)
    }

    @Test func whatToolsWriteAndOthersDoNotNeedIsNoFinding() throws {
        let text = """
            <model name="" userDefinedModelVersionIdentifier="" type="t" documentVersion="1.0" \
            lastSavedToolsVersion="2061" systemVersion="12D78" minimumToolsVersion="Automatic" \
            macOSVersion="Automatic" iOSVersion="Automatic" sourceLanguage="Swift" \
            usedWithCloudKit="true" usedWithSwiftData="YES">
            <entity name="E" representedClassName=".E" syncable="YES" codeGenerationType="class">
            <attribute name="a" optional="YES" attributeType="Binary" storedInTruthFile="YES"
            spotlightIndexingEnabled="YES" syncable="YES" allowsCloudEncryption="YES"
            usesScalarValueType="NO" preserveAfterDeletion="YES"/>
            <relationship name="r" optional="YES" maxCount="1" deletionRule="Nullify" syncable="YES"
            destinationEntity="E" spotlightIndexingEnabled="YES" storedInTruthFile="YES"/></entity>
            <elements><element name="E" positionX="0" positionY="0" width="0" height="0"/></elements>
            </model>
            """
        #expect(try ModelDocument(contents: Array(text.utf8)).findings() == [])
    }

    @Test func findingsStandInTheOrderOfTheFile() throws {
        let findings = try Contents.thing(
            "<attribute name=\"a\" attributeType=\"?\"/>\n<attribute name=\"b\" x=\"\" "
                + "attributeType=\"Boolean\"/>\n<attribute name=\"c\" attributeType=\"?\"/>"
        ).findings()
        #expect(findings.map(\.property) == ["a", "b", "c"])
        #expect(findings.map(\.severity) == [.warning, .note, .warning])
    }

    @Test func aFindingIsOneLineInTheFormOfACompilers() throws {
        let finding = try #require(try Contents.model(Self.unknown).findings().dropFirst().first)
        #expect(finding.line(in: "A/contents").hasPrefix("A/contents:3:1: note: Thing.a: "))
        #expect(finding.description.hasPrefix("note: Thing.a: "))
    }
}
