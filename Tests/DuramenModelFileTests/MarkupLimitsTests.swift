import Testing

@testable import DuramenModelFile

/// What the reader of XML does with the largest inputs, with random ones and with damaged ones.
struct MarkupLimitsTests {
    private func read(_ text: String) throws(MarkupError) -> MarkupElement {
        try MarkupReader.read(Array(text.utf8))
    }

    private func expectLimit(_ text: String, _ location: SourceLocation = #_sourceLocation) {
        let error = #expect(throws: MarkupError.self, sourceLocation: location) { try read(text) }
        #expect(error?.isLimit == true, sourceLocation: location)
    }

    // MARK: - Limits

    @Test func elementsNestToADepthOf256() throws {
        let text = { String(repeating: "<a>", count: $0) + String(repeating: "</a>", count: $0) }
        _ = try read(text(256))
        expectLimit(text(257))
    }

    @Test func anElementHas256AttributesAtMost() throws {
        let text = { "<a\((0..<$0).map { " b\($0)=\"\"" }.joined())/>" }
        #expect(try read(text(256)).attributes.count == 256)
        expectLimit(text(257))
    }

    @Test func namesHave1024BytesAtMost() throws {
        let name = String(repeating: "b", count: 1_024)
        _ = try read("<\(name) \(name)=\"\"/>")
        expectLimit("<\(name)b/>")
        expectLimit("<a \(name)b=\"\"/>")
    }

    @Test func aNameOfAMegabyteIsRefused() {
        expectLimit("<\(String(repeating: "b", count: 1 << 20))/>")
    }

    @Test func aFileHas4MiBAtMost() throws {
        let text = "<a/>" + String(repeating: " ", count: (4 << 20) - 4)
        _ = try read(text)
        expectLimit(text + " ")
    }

    @Test func aValueOfAMegabyteIsRead() throws {
        let value = String(repeating: "b", count: 1 << 20)
        #expect(try read("<a b=\"\(value)\"/>")["b"] == value)
    }

    // MARK: - The worst of 4 MiB

    /// What fills a text of 4 MiB: a beginning, what is repeated, and an end.
    enum Hostile: String, CaseIterable {
        case attributes, depth, comments, elements, text, references, value, lines, names, unclosed
        case instructions, pieces

        var text: String {
            switch self {
            case .attributes: "<a" + (0..<200_000).map { " b\($0)=\"\"" }.joined() + "/>"
            case .depth: filled("", "<a>", "")
            case .comments: filled("<a>", "<!---->", "</a>")
            case .elements: filled("<a>", "<b/>", "</a>")
            case .text: filled("<a>", "b", "</a>")
            case .references: filled("<a>", "&#65;", "</a>")
            case .value: filled("<a b=\"", "&lt;", "\"/>")
            case .lines: filled("<a>", "\n", "</a>")
            case .names: filled("<a ", "b", "=\"\"/>")
            case .unclosed: filled("<a>", "<!-- ", "")
            case .instructions: filled("<?xml ", "encoding=", "")
            case .pieces: filled("<a>", "b<!---->", "</a>")
            }
        }

        private func filled(_ start: String, _ middle: String, _ end: String) -> String {
            let count = ((4 << 20) - start.utf8.count - end.utf8.count) / middle.utf8.count
            return start + String(repeating: middle, count: count) + end
        }
    }

    @Test(.timeLimit(.minutes(5)), arguments: Hostile.allCases)
    func theWorstOf4MiBIsReadOrRefused(_ hostile: Hostile) {
        let outcome = Result { () throws(MarkupError) in try read(hostile.text) }
        switch (hostile, outcome) {
        case (.attributes, .failure(let error)), (.depth, .failure(let error)),
            (.names, .failure(let error)):
            #expect(error.isLimit)
        case (.unclosed, .failure(let error)), (.instructions, .failure(let error)):
            #expect(!error.isLimit)
        case (_, .success(let root)): #expect(root.name == "a")
        case (_, .failure(let error)): Issue.record("\(hostile): \(error.message)")
        }
    }

    // MARK: - Random elements and damage

    @Test(arguments: 0..<200 as Range<UInt64>)
    func elementsAreReadAsTheyWereWritten(_ seed: UInt64) throws {
        var random = Random(seed: seed)
        let root = random.element(depth: 5)
        let text = MarkupWriter.text(root)
        let again = try read(text)
        #expect(again == root, "seed \(seed)")
        // Strings are equal that differ in their bytes.
        #expect(Array(MarkupWriter.text(again).utf8) == Array(text.utf8), "seed \(seed)")
    }

    @Test(arguments: 0..<20 as Range<UInt64>)
    func aDamagedFileIsReadOrRefused(_ seed: UInt64) {
        let whole = Array(Self.whole.utf8)
        for round in 0..<100 {
            var random = Random(seed: seed &* 1_000 &+ UInt64(round))
            let bytes = random.damaged(whole)
            guard let root = try? MarkupReader.read(bytes) else { continue }
            let text = MarkupWriter.text(root)
            #expect((try? read(text)) == root, "seed \(seed), round \(round): \(bytes)")
            if let document = try? ModelDocument(contents: bytes) { _ = document.findings() }
        }
    }

    private static let whole = """
        \u{FEFF}<?xml version="1.0" encoding="UTF-8" standalone="yes"?>
        <model userDefinedModelVersionIdentifier="1.0"><!-- A comment. -->
            <entity name="Thing" representedClassName=".Thing" parentEntity="Other" syncable="YES">
                <attribute name="when" attributeType="Date" defaultDateTimeInterval="-1.5"/>
                <attribute name="much" attributeType="Decimal" defaultValueString="0.0"/>
                <attribute name="where" attributeType="Composite" composite="Place"/>
                <attribute name="naïve" optional="YES" attributeType="String" maxValueString="9"/>
                <relationship name="others" toMany="YES" minCount="1" deletionRule="Cascade"
                    destinationEntity="Other" inverseName="thing" inverseEntity="Thing"/>
                <fetchIndex name="by"><fetchIndexElement property="when" type="RTree"/></fetchIndex>
                <userInfo><entry key="a&#10;b" value="&lt;&amp;&quot;'>"/></userInfo>
            </entity>
            <entity name="Other"><relationship name="thing" maxCount="1" destinationEntity="Thing"
                inverseName="others" inverseEntity="Thing"/></entity>
            <composite name="Place"><attribute name="x" attributeType="Double"/></composite>
        </model>
        """
}

/// Random numbers, elements and damage, the same for the same seed.
private struct Random: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    // SplitMix64.
    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    mutating func element(depth: Int) -> MarkupElement {
        var element = MarkupElement(name())
        for number in 0..<Int.random(in: 0...4, using: &self) {
            element["\(name())\(number)"] = value()
        }
        // White space around text is that of the layout.
        if Bool.random(using: &self) { element.text = "(\(value()))" }
        guard depth > 0 else { return element }
        for _ in 0..<Int.random(in: 0...3, using: &self) {
            element.children.append(self.element(depth: depth - 1))
        }
        return element
    }

    private mutating func name() -> String {
        let first = ["a", "Z", "_", "é", "名"].randomElement(using: &self) ?? ""
        return first + String(Int.random(in: 0...99, using: &self)) + "-x.y"
    }

    private mutating func value() -> String {
        let parts = [
            "&", "<", ">", "\"", "'", "\n", "\r", "\r\n", "\t", " ", "&amp;", "]]>", "<!--", "a",
            "é", "e\u{301}", "\u{1F600}", "\u{7F}", "\u{85}", "\u{2028}", "名",
        ]
        return (0..<Int.random(in: 0...8, using: &self))
            .map { _ in parts.randomElement(using: &self) ?? "" }.joined()
    }

    mutating func damaged(_ bytes: [UInt8]) -> [UInt8] {
        var bytes = bytes
        for _ in 0..<Int.random(in: 1...4, using: &self) where !bytes.isEmpty {
            let place = Int.random(in: bytes.indices, using: &self)
            let other = Int.random(in: bytes.indices, using: &self)
            switch Int.random(in: 0..<6, using: &self) {
            case 0: bytes[place] = UInt8.random(in: 0...255, using: &self)
            case 1: bytes[place] = Array("<>&;\"/!?= 0".utf8).randomElement(using: &self) ?? 0
            case 2: bytes.remove(at: place)
            case 3: bytes.insert(bytes[other], at: place)
            case 4: bytes.swapAt(place, other)
            default: bytes.removeSubrange(min(place, other)..<max(place, other))
            }
        }
        return bytes
    }
}
