import DuramenArchives
import Foundation
import StoreTestSupport
import Testing

/// Archives that are made to break a reader. Each ends with an error, and soon.
@Suite struct HostileArchiveTests {
    private func array(_ elements: [TestList], _ writer: ArchiveWriter) -> TestList {
        writer.add("NSArray", [("NS.objects", .array(elements))])
    }

    @Test func anArrayThatContainsItselfIsRefused() {
        let writer = ArchiveWriter()
        // The class takes the first place, so that the array has the second.
        let root = array([.uid(2)], writer)
        #expect(code(writer.archive(root: root)) == .damaged)
    }

    @Test func aURLThatIsItsOwnBaseIsRefused() {
        let writer = ArchiveWriter()
        let root = writer.add(
            "NSURL", [("NS.base", .uid(3)), ("NS.relative", writer.text("a"))])
        #expect(code(writer.archive(root: root)) == .damaged)
    }

    @Test func sixtyFourLevelsAreReadAndOneMoreIsNot() {
        for (levels, expected) in [(64, nil), (65, ArchiveError.Code.limitExceeded)] {
            let writer = ArchiveWriter()
            var value = writer.text("deep")
            for _ in 0..<levels { value = array([value], writer) }
            #expect(code(writer.archive(root: value)) == expected)
        }
    }

    @Test func aHundredThousandLevelsAreRefused() {
        // Four fields, two objects a level, in one flat list.
        let writer = ArchiveWriter()
        let type = writer.add(.dictionary([("$classname", .text("NSArray"))]))
        let first = 2
        for level in 0..<100_000 {
            _ = writer.add(
                .dictionary([
                    ("NS.objects", .array([.uid(first + level + 1)])), ("$class", type),
                ]))
        }
        let bytes = writer.archive(root: .uid(first))
        #expect(code(bytes) == .limitExceeded)
    }

    @Test func aHundredThousandLevelsAreNotArchived() {
        var value = ArchivedValue.null
        for _ in 0..<100_000 { value = .array([value]) }
        #expect(throws: ArchiveError.self) { try value.archive() }
        // Takes the value apart from outside, as its end would recurse.
        while case .array(let elements) = value { value = elements[0] }
    }

    @Test func fewObjectsThatStandForManyAreRefused() {
        let writer = ArchiveWriter()
        var value = writer.text("laugh")
        for _ in 0..<40 { value = array([value, value, value, value], writer) }
        #expect(code(writer.archive(root: value)) == .limitExceeded)
    }

    @Test func anObjectThatManyReferToIsReadOnce() throws {
        let writer = ArchiveWriter()
        let text = writer.text(String(repeating: "x", count: 1_000))
        let bytes = writer.archive(root: array(Array(repeating: text, count: 50), writer))
        guard case .array(let elements) = try reading(bytes).get() else {
            Issue.record("It is not an array.")
            return
        }
        #expect(elements.count == 50)
    }

    @Test(arguments: [
        "NSObject", "NSPredicate", "NSException", "Content", "NSArray.NSArray", "", "nsarray",
    ])
    func anObjectOfAnotherClassIsRefused(name: String) {
        let writer = ArchiveWriter()
        let root = writer.add(name, [("NS.objects", .array([]))])
        #expect(code(writer.archive(root: root)) == .classNotAllowed)
    }

    @Test func anObjectWithFieldsOfAnotherClassIsRefused() {
        for (name, fields) in [
            ("NSArray", [("NS.time", TestList.real(1))]),
            ("NSArray", [("NS.objects", .integer(1))]),
            ("NSArray", [("NS.objects", .array([.integer(1)]))]), ("NSDate", []),
            ("NSDate", [("NS.time", .text("1"))]), ("NSUUID", [("NS.uuidbytes", .data([1]))]),
            ("NSURL", []), ("NSURL", [("NS.relative", .uid(0))]),
            ("NSDictionary", [("NS.keys", .array([])), ("NS.objects", .array([.uid(0)]))]),
            ("NSDecimalNumber", [("NS.length", .integer(9))]), ("NSMutableString", []),
            ("NSMutableData", [("NS.data", .uid(0))]),
        ] {
            let writer = ArchiveWriter()
            let root = writer.add(name, fields)
            #expect(code(writer.archive(root: root)) == .damaged, "\(name)")
        }
    }

    @Test(arguments: [0, 2, 60_000])
    func aReferenceOutOfRangeIsRefused(index: Int) {
        let writer = ArchiveWriter()
        let root = array([.uid(index == 2 ? 3 : index)], writer)
        #expect(code(writer.archive(root: root)) == .damaged)
    }

    @Test func whatIsNoReferenceInObjectsIsRefused() {
        let writer = ArchiveWriter()
        for part in [TestList.uid(1), .array([]), .dictionary([])] {
            let root = array([writer.add(part)], writer)
            #expect(code(writer.archive(root: root)) == .damaged)
        }
    }

    @Test func aRootOfNothingIsRefused() {
        #expect(code(ArchiveWriter().archive(root: .uid(0))) == .damaged)
        #expect(code(ArchiveWriter().archive(root: .uid(9))) == .notAnArchive)
        #expect(code(ArchiveWriter().archive(root: .text("root"))) == .notAnArchive)
    }

    @Test func whatIsNoArchiveIsRefused() {
        #expect(code([]) == .notAnArchive)
        #expect(code(Array("{\"a\": 1}".utf8)) == .notAnArchive)
        #expect(code(Array("bplist00".utf8)) == .notAnArchive)
        #expect(code(Array("bplist00".utf8) + Array(repeating: 0xFF, count: 32)) == .damaged)
        #expect(code(TestList.array([.text("a")]).bytes) == .notAnArchive)
    }

    @Test func everyTruncatedArchiveIsRefused() {
        let bytes = Array(AppleArchive.vectorClock)
        for count in 0..<bytes.count { #expect(code(Array(bytes[..<count])) != nil) }
    }

    @Test func hugeCountsAreRefused() {
        // The array of $objects says that it has 2^62 elements, then as many as fit Int32.
        let bytes = Array(AppleArchive.vectorClock)
        let place = 83
        #expect(bytes[place] == 0xA6)
        for count: [UInt8] in [
            [0xAF, 0x13, 0x40, 0, 0, 0, 0, 0, 0, 0], [0xAF, 0x12, 0x7F, 0xFF, 0xFF, 0xFF],
            [0xAF, 0x13, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF], [0xAF, 0x14],
        ] {
            var hostile = bytes
            hostile.replaceSubrange(place..<place + count.count, with: count)
            #expect(code(hostile) != nil)
        }
        var objects = bytes
        objects.replaceSubrange(
            bytes.count - 24..<bytes.count - 16, with: [0x7F] + Array(repeating: 0xFF, count: 7))
        #expect(code(objects) == .damaged)
    }

    @Test func objectsThatOverlapEndSoon() {
        // A hundred thousand objects, all the same array of a hundred thousand elements.
        let count = 100_000
        var bytes = Array("bplist00".utf8)
        let array = bytes.count
        bytes += [0xAF, 0x12] + big(count, 4)
        for _ in 0..<count { bytes += big(1, 4) }
        let table = bytes.count
        for _ in 0..<count { bytes += big(array, 4) }
        bytes += [0, 0, 0, 0, 0, 0, 4, 4] + big(count, 8) + big(0, 8) + big(table, 8)
        #expect(code(bytes) == .notAnArchive)
    }

    @Test func keysThatAreNoTextsAreRefused() {
        let writer = ArchiveWriter()
        let type = writer.add(.dictionary([("$classname", .text("NSNull"))]))
        let root = writer.add(.dictionary([("$class", type), ("$class", type)]))
        #expect(code(writer.archive(root: root)) == .damaged)
    }

    @Test func textInAnotherEncodingIsRefused() {
        var bytes = Array(AppleArchive.page)
        let place = bytes.firstRange(of: Array("content".utf8))?.lowerBound ?? 0
        bytes[place] = 0xE4
        #expect(code(bytes, allowing: ["Content"]) == .damaged)
    }

    private func big(_ number: Int, _ size: Int) -> [UInt8] {
        (0..<size).reversed().map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
    }
}
