import DuramenArchives
import Foundation
import Testing

@Suite struct ArchivedCodableTests {
    struct Trip: Codable, Hashable {
        var name: String
        var stops: [Stop]
        var note: String?
        var kind = Kind.hike

        enum Kind: String, Codable { case hike, ride }
        struct Stop: Codable, Hashable {
            var place: URL
            var time: Date
            var price: Decimal
        }
    }

    private func expectRoundTrip<Value: Codable & Equatable>(
        _ value: Value, as archived: ArchivedValue? = nil
    ) throws {
        let encoded = try ArchivedValue(encoding: value)
        if let archived { #expect(encoded == archived) }
        let read = try ArchivedValue(archive: try encoded.archive())
        #expect(try read.decoded(as: Value.self) == value)
    }

    @Test func swiftValuesAreThoseOfFoundationsClasses() throws {
        let id = UUID()
        let date = Date(timeIntervalSinceReferenceDate: 0.25)
        let url = try #require(URL(string: "https://example.com/a"))
        try expectRoundTrip("text", as: .string("text"))
        try expectRoundTrip(Int64.max, as: .integer(.max))
        try expectRoundTrip(UInt64.max, as: .unsigned(.max))
        try expectRoundTrip(true, as: .boolean(true))
        try expectRoundTrip(1.5, as: .double(1.5))
        try expectRoundTrip(Float(1.5), as: .float(1.5))
        try expectRoundTrip(Decimal(12), as: .decimal(12))
        try expectRoundTrip(date, as: .date(date))
        try expectRoundTrip(Data([1]), as: .data(Data([1])))
        try expectRoundTrip(id, as: .uuid(id))
        try expectRoundTrip(url, as: .url(ArchivedURL(url)))
        try expectRoundTrip(["a", "b"], as: .array([.string("a"), .string("b")]))
        try expectRoundTrip([1, nil], as: .array([.integer(1), .null]))
        try expectRoundTrip(Set([1, 2]), as: .set([.integer(1), .integer(2)]))
        try expectRoundTrip(["5": 1], as: .sorted(["5": .integer(1)]))
        try expectRoundTrip([5: "a"], as: .dictionary([.init(.integer(5), .string("a"))]))
        try expectRoundTrip([id: 1], as: .dictionary([.init(.uuid(id), .integer(1))]))
        try expectRoundTrip(ArchivedValue.mutable(.array([])), as: .mutable(.array([])))
    }

    @Test func structsAreDictionaries() throws {
        let place = try #require(URL(string: "https://example.com/b"))
        let trip = Trip(
            name: "North", stops: [.init(place: place, time: .distantPast, price: 3)])
        try expectRoundTrip(trip)
        try expectRoundTrip(["a": [trip], "b": []])
    }

    @Test func aVectorClockOfCoreDataIsADictionaryOfUUIDs() throws {
        let clock = try ArchivedValue(archive: AppleArchive.vectorClock)
            .decoded(as: [UUID: Int].self)
        #expect(clock.values.map(\.self) == [1])
        #expect(try ArchivedValue(encoding: clock).archive() == AppleArchive.vectorClock)
    }

    @Test func equalDictionariesHaveEqualArchives() throws {
        let names = (0..<100).map { "name \($0)" }
        let one = Dictionary(uniqueKeysWithValues: names.map { ($0, Set(names)) })
        let other = Dictionary(uniqueKeysWithValues: names.reversed().map { ($0, Set(names)) })
        #expect(
            try ArchivedValue(encoding: one).archive()
                == ArchivedValue(encoding: other).archive())
    }

    @Test func aValueOfAnotherTypeIsAnError() {
        func code<Value: Decodable>(_ value: ArchivedValue, _: Value.Type) -> ArchiveError.Code? {
            do throws(ArchiveError) {
                _ = try value.decoded(as: Value.self)
                return nil
            } catch {
                return error.code
            }
        }
        #expect(code(.string("1"), Int.self) == .typeMismatch)
        #expect(code(.integer(300), Int8.self) == .typeMismatch)
        #expect(code(.double(0.5), Int.self) == .typeMismatch)
        #expect(code(.integer(1), String.self) == .typeMismatch)
        #expect(code(.array([.null]), [String].self) == .typeMismatch)
        #expect(code(.array([]), [String: Int].self) == .typeMismatch)
        #expect(code(.dictionary([]), Trip.self) == .typeMismatch)
        #expect(code(.string("text"), URL.self) == .typeMismatch)
        #expect(code(.null, Int?.self) == nil)
        #expect(code(.mutable(.array([.mutable(.string("a"))])), [String].self) == nil)
    }

    @Test func aValueIsItsArchiveInJSON() throws {
        let value = ArchivedValue.array([.date(.distantPast), .null])
        let json = try JSONEncoder().encode(["value": value])
        #expect(
            try JSONDecoder().decode([String: ArchivedValue].self, from: json)["value"] == value)
    }
}
