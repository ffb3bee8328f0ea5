import DuramenArchives
import Foundation
import Testing

@Suite struct ArchiveRoundTripTests {
    @Test(arguments: samples)
    func aValueIsReadAsItWasWritten(value: ArchivedValue) throws {
        let archive = try value.archive()
        let read = try ArchivedValue(archive: archive)
        #expect(read == value)
        #expect(try read.archive() == archive)
    }

    @Test(arguments: samples)
    func valuesAreReadInEachOther(value: ArchivedValue) throws {
        let whole = ArchivedValue.sorted([
            "list": .array([value, value]), "set": .set([value]), "value": value,
        ])
        let archive = try whole.archive()
        let read = try ArchivedValue(archive: archive)
        #expect(read == whole)
        #expect(try read.archive() == archive)
    }

    @Test func anArchiveOfADictionaryIsWrittenAsCoreDataWroteIt() throws {
        let value = try ArchivedValue(archive: AppleArchive.vectorClock)
        let id = try #require(UUID(uuidString: "AF61205F-1C39-40F4-86D6-820B6E38AD0D"))
        #expect(value == .dictionary([.init(.uuid(id), .integer(1))]))
        #expect(try value.archive() == AppleArchive.vectorClock)
    }

    @Test func anObjectOfAnAllowedClassIsWrittenAsCoreDataWroteIt() throws {
        let value = try ArchivedValue(archive: AppleArchive.page, allowing: ["Content"])
        let page = ArchivedObject(
            className: "Content", fields: [("text", .value(.string("content for page 18")))])
        #expect(value == .object(page))
        #expect(page["text"] == .string("content for page 18"))
        #expect(try value.archive() == AppleArchive.page)
    }

    @Test func anObjectOfAnotherClassIsRefused() {
        #expect(code(Array(AppleArchive.page)) == .classNotAllowed)
        #expect(code(Array(AppleArchive.page), allowing: ["NSObject"]) == .classNotAllowed)
    }

    @Test func fieldsOfAnObjectHoldObjectsAndValuesOfTheirOwn() throws {
        let values: [ArchivedValue] = [
            .integer(1), .unsigned(.max), .double(0.5), .float(0.5), .boolean(true),
            .string("text"),
            .data(Data([1])), .date(.distantPast),
        ]
        var object = ArchivedObject(className: "Content", fields: [("empty", .none)])
        for (place, value) in values.enumerated() {
            object.fields.append(("inline\(place)", .inline(value)))
            object.fields.append(("object\(place)", .value(value)))
        }
        let archive = try ArchivedValue.object(object).archive()
        let read = try ArchivedValue(archive: archive, allowing: ["Content"])
        #expect(read == .object(object))
        #expect(try read.archive() == archive)
    }

    @Test func setsAndDictionariesHaveNoOrder() {
        #expect(ArchivedValue.set([.integer(1), .null]) == .set([.null, .integer(1)]))
        #expect(ArchivedValue.set([.null, .null, .integer(1)]) != .set([.null, .integer(1)]))
        #expect(ArchivedValue.array([.integer(1), .null]) != .array([.null, .integer(1)]))
        let entries = [ArchivedValue.Entry(.integer(1), .null), .init(.integer(2), .null)]
        let reversed = ArchivedValue.dictionary(entries.reversed())
        #expect(ArchivedValue.dictionary(entries) == reversed)
        #expect(ArchivedValue.dictionary(entries).hashValue == reversed.hashValue)
    }

    @Test func kindsOfNumbersStayApart() throws {
        let numbers: [ArchivedValue] = [.integer(1), .double(1), .float(1), .boolean(true)]
        let read = try ArchivedValue(archive: try ArchivedValue.array(numbers).archive())
        #expect(read == .array(numbers))
        #expect(Set(numbers).count == 4)
    }

    @Test func aBaseOfAURLHasABase() throws {
        let url = ArchivedURL("c", base: ArchivedURL("b/", base: ArchivedURL("https://a.org/")))
        #expect(url.url?.absoluteString == "https://a.org/b/c")
        #expect(url.base?.relative == "b/")
        #expect(url.base?.base?.base == nil)
    }
}

/// Foundation's own archiver is asked about what both can do. Its files have another order than
/// Apple's, so that values are compared.
@Suite struct FoundationArchiveTests {
    static var pairs: [(ArchivedValue, NSObject)] {
        [
            (.string("text"), "text" as NSString), (.integer(-5), NSNumber(value: -5)),
            (.unsigned(.max), NSNumber(value: UInt64.max)),
            (.float(1.5), NSNumber(value: Float(1.5))),
            (.double(0.1), NSNumber(value: 0.1)), (.boolean(true), NSNumber(value: true)),
            (.data(Data([1, 2])), NSData(data: Data([1, 2]))),
            (.mutable(.data(Data([1, 2]))), NSMutableData(data: Data([1, 2]))),
            (.date(.distantPast), NSDate(timeIntervalSinceReferenceDate: -63_114_076_800)),
            (.null, NSNull()), (.array([.string("a"), .null]), NSArray(array: ["a", NSNull()])),
            (.mutable(.array([.string("a")])), NSMutableArray(array: ["a"])),
            (.set([.string("a")]), NSSet(array: ["a"])),
            (.orderedSet([.string("a"), .string("b")]), NSOrderedSet(array: ["a", "b"])),
            (.sorted(["k": .integer(1)]), NSDictionary(dictionary: ["k": NSNumber(value: 1)])),
            (
                .url(ArchivedURL("c", base: ArchivedURL("https://a.org/"))),
                NSURL(string: "c", relativeTo: URL(string: "https://a.org/")) ?? NSNull()
            ),
        ]
    }

    @Test(arguments: pairs.indices)
    func whatFoundationArchivesIsRead(pair: Int) throws {
        let (value, object) = Self.pairs[pair]
        let archive = try NSKeyedArchiver.archivedData(
            withRootObject: object, requiringSecureCoding: false)
        #expect(try ArchivedValue(archive: archive) == value)
    }

    @Test(arguments: pairs.indices)
    func whatIsArchivedIsReadByFoundation(pair: Int) throws {
        let (value, object) = Self.pairs[pair]
        // A class of its own is not known to Foundation's reader elsewhere than on Apple's systems.
        let classes: [AnyClass] = [
            NSString.self, NSNumber.self, NSData.self, NSMutableData.self, NSDate.self, NSNull.self,
            NSArray.self, NSMutableArray.self, NSSet.self, NSOrderedSet.self, NSDictionary.self,
            NSURL.self,
        ]
        let read = try NSKeyedUnarchiver.unarchivedObject(
            ofClasses: classes, from: try value.archive())
        #expect(object.isEqual(read))
    }
}
