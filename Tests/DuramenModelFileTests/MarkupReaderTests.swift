import Testing

@testable import DuramenModelFile

/// What the reader of XML takes, what it refuses, and where it says a mistake is.
struct MarkupReaderTests {
    private func read(_ text: String) throws(MarkupError) -> MarkupElement {
        try MarkupReader.read(Array(text.utf8))
    }

    // MARK: - What is refused

    @Test(arguments: [
        "<!DOCTYPE a><a/>", "<!DOCTYPE a SYSTEM \"file:///etc/passwd\"><a/>",
        "<!DOCTYPE a [<!ENTITY b \"c\">]><a>&b;</a>", "<a><!ENTITY b \"c\"></a>",
        "<a><![CDATA[b]]></a>", "<a><!ELEMENT b EMPTY></a>", "<a><?b c?></a>", "<?b c?><a/>",
        "<a/><?b c?>", " <?xml version=\"1.0\"?><a/>", "<?xml-stylesheet href=\"b\"?><a/>",
    ])
    func declarationsEntitiesAndInstructionsAreRefused(_ text: String) {
        let error = #expect(throws: MarkupError.self) { try read(text) }
        #expect(error?.isLimit == false)
    }

    @Test func aDocumentTypeThatDeclaresNothingIsPassedOverWhereItIsAllowed() throws {
        let text = "<!DOCTYPE plist PUBLIC \"-//A//B\" \"http://c/d.dtd\">\n<plist/>"
        let root = try MarkupReader.read(Array(text.utf8), allowsDocumentType: true)
        #expect(root.name == "plist")
    }

    @Test(arguments: [
        "<!DOCTYPE a [<!ENTITY b \"c\">]><a/>", "<a><!DOCTYPE a></a>", "<a/><!DOCTYPE a>",
        "<!DOCTYPE a",
    ])
    func aDocumentTypeThatDeclaresOrStandsElsewhereIsAlwaysRefused(_ text: String) {
        #expect(throws: MarkupError.self) {
            try MarkupReader.read(Array(text.utf8), allowsDocumentType: true)
        }
    }

    @Test(arguments: [
        "", " ", "<!-- a -->", "text", "<", "<a", "<a ", "<a b", "<a b=", "<a b=\"", "<a b='c\"/>",
        "<a b=c/>", "<a b/>", "<a b=\"c\"d=\"e\"/>", "<a b=\"<\"/>", "< a/>", "<1/>", "<a 1=\"\"/>",
        "<a/ >", "<a>", "<a></b>", "<a><b></a></b>", "</a>", "<a></a", "<a></a b>", "<a/>b",
        "b<a/>", "<a/><a/>", "<a/></a>", "<a><!-- </a>", "<a><!--></a>", "<?xml version=\"1.0\"",
        "<>", "<a></>",
    ])
    func whatIsNotWellFormedIsRefused(_ text: String) {
        #expect(throws: MarkupError.self) { try read(text) }
    }

    @Test func anAttributeThatStandsTwiceIsRefused() {
        #expect(throws: MarkupError.self) { try read("<a b=\"1\" c=\"2\" b=\"1\"/>") }
    }

    @Test(arguments: [0x00, 0x01, 0x08, 0x0B, 0x0C, 0x0E, 0x1F] as [UInt8])
    func controlCharactersAreRefusedInTextAndValues(_ byte: UInt8) {
        let character = String(decoding: [byte], as: UTF8.self)
        #expect(throws: MarkupError.self) { try read("<a>b\(character)</a>") }
        #expect(throws: MarkupError.self) { try read("<a b=\"c\(character)\"/>") }
        #expect(throws: MarkupError.self) { try read("<a \(character)/>") }
    }

    // XML 1.0, 2.2: comments consist of the same characters as all else.
    @Test func aNULInACommentIsRefused() {
        #expect(throws: MarkupError.self) { try read("<a><!-- \u{0} --></a>") }
    }

    // XML 1.0, 2.2; by number the two are refused.
    @Test(arguments: ["\u{FFFE}", "\u{FFFF}"])
    func whatIsNoCharacterIsRefused(_ character: String) {
        #expect(throws: MarkupError.self) { try read("<a b=\"\(character)\"/>") }
    }

    // MARK: - Characters

    @Test(arguments: [
        ("&amp;&lt;&gt;&quot;&apos;", "&<>\"'"), ("&#65;&#x42;&#x1f600;", "AB\u{1F600}"),
        ("&#x10FFFF;", "\u{10FFFF}"), ("&#0065;", "A"), ("&amp;lt;", "&lt;"), ("é", "é"),
    ])
    func charactersByNameAndNumberAreRead(_ written: String, _ meant: String) throws {
        let root = try read("<a b=\"\(written)\">\(written)</a>")
        #expect(root["b"] == meant)
        #expect(root.text == meant)
    }

    @Test(arguments: [
        "&", "&;", "&b;", "&amp", "&AMP;", "& lt;", "&#;", "&#x;", "&#0;", "&#1;", "&#xD800;",
        "&#xFFFE;", "&#x110000;", "&#-65;", "&#+65;", "&#X41;", "&#6 5;", "&#99999999999;", "&#٣;",
    ])
    func whatBeginsNoCharacterIsRefused(_ written: String) {
        #expect(throws: MarkupError.self) { try read("<a>\(written)</a>") }
        #expect(throws: MarkupError.self) { try read("<a b=\"\(written)\"/>") }
    }

    @Test func tabsAndLineBreaksInValuesAreSpacesUnlessTheyAreWrittenByNumber() throws {
        let root = try read("<a b=\"1\t2\n3\" c=\"1&#9;2&#10;3&#13;4\"/>")
        #expect(root["b"] == "1 2 3")
        #expect(root["c"] == "1\t2\n3\r4")
    }

    // XML 1.0, 2.11: the two characters are one line break.
    @Test func aCarriageReturnWithALineFeedIsOneSpaceInAValue() throws {
        #expect(try read("<a b=\"1\r\n2\"/>")["b"] == "1 2")
    }

    @Test func textThatIsOnlyWhiteSpaceIsNone() throws {
        #expect(try read("<a>\r\n\t <b/> \n</a>").text == "")
    }

    @Test func commentsArePassedOverWhereverTheyStand() throws {
        let root = try read("<!-- <x> --><a><!-- & \n - -- > --><b/></a><!----> ")
        #expect(root == MarkupElement("a", children: [MarkupElement("b")]))
    }

    // MARK: - Encodings

    @Test func aByteOrderMarkIsPassedOver() throws {
        #expect(try read("\u{FEFF}<?xml version=\"1.0\"?><a/>").name == "a")
    }

    @Test(arguments: ["UTF-8", "utf-8"])
    func textSaysThatItIsUTF8(_ encoding: String) throws {
        #expect(try read("<?xml version='1.0' encoding='\(encoding)'?><a/>").name == "a")
    }

    @Test(arguments: ["UTF-16", "ISO-8859-1", "us-ascii", ""])
    func otherEncodingsAreRefused(_ encoding: String) {
        #expect(throws: MarkupError.self) {
            try read("<?xml version=\"1.0\" encoding=\"\(encoding)\"?><a/>")
        }
    }

    @Test(
        arguments: [
            [0xFF], [0x80], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80],
            [0xE2, 0x82],
        ] as [[UInt8]])
    func bytesThatAreNoUTF8AreRefusedWithTheirPlace(_ bytes: [UInt8]) {
        let text = Array("<a>\n é".utf8) + bytes + Array("</a>".utf8)
        let error = #expect(throws: MarkupError.self) { try MarkupReader.read(text) }
        #expect(error?.place.line == 2)
        #expect(error?.place.column == 4)
    }

    @Test func textOfSixteenBitsIsRefused() {
        let bytes: [UInt8] = [0xFF, 0xFE] + "<a/>".utf8.flatMap { [$0, 0] as [UInt8] }
        #expect(throws: MarkupError.self) { try MarkupReader.read(bytes) }
    }

    // MARK: - Places

    @Test(arguments: [
        ("<a>\n  <b c=1/></a>", 2, 8), ("<a>\n<b x=\"1\" x=\"2\"/></a>", 2, 10),
        ("<a>\n <b></a>", 2, 5), ("<a>\n\n <b>", 3, 2), ("<a/>\n<b/>", 2, 1), ("<a/>\n b", 2, 2),
        ("<a>é&b;</a>", 1, 6), ("<a>\n\u{1}</a>", 2, 1), ("<a>\n<!DOCTYPE a></a>", 2, 1),
        ("<a>\n <?b?></a>", 2, 2), ("<a>\n<![CDATA[]]></a>", 2, 1), ("<a>\n<!-- b\n", 2, 1),
        ("<a b=\"c\n\">\n<d e=\"<\"/></a>", 3, 6), ("<a>\r\n<b>\r\n</a>", 3, 1), ("\n", 1, 1),
        ("<!-- b\n -->\n</a>", 3, 1),
    ])
    func aMistakeIsNamedWithItsPlace(_ text: String, _ line: Int, _ column: Int) {
        let error = #expect(throws: MarkupError.self) { try read(text) }
        #expect(error?.place.line == line)
        #expect(error?.place.column == column)
    }

    @Test func anElementKnowsWhereItBegins() throws {
        let root = try read("<?xml version=\"1.0\"?>\n<a b=\"\n\">\n  <c/></a>")
        #expect(root.place.line == 2)
        #expect(root.children.first?.place.line == 4)
        #expect(root.children.first?.place.column == 3)
    }
}

extension MarkupElement {
    init(_ name: String, children: [MarkupElement]) {
        self.init(name)
        self.children = children
    }
}
