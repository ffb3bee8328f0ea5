import Duramen
import DuramenMacros
import DuramenMemory
import DuramenSQLite
import Foundation
import Testing

/// Neither `Hashable` nor `Codable` by its declaration.
struct Grade: AttributeValue {
    let number: Int
    static var attributeType: AttributeType { .integer64 }
    static func read(from slot: AttributeReader) -> Grade {
        Grade(number: Int.read(from: slot))
    }
    func write(to slot: AttributeWriter) { number.write(to: slot) }
    var storedValue: StoredValue { .integer(Int64(number)) }
    init(number: Int) { self.number = number }
    init?(storedValue value: StoredValue) {
        guard case .integer(let number) = value, number >= 0 else { return nil }
        self.number = Int(number)
    }
}

/// One attribute of every type, and names that Swift and the generated code use themselves.
@Managed
final class Sample: ManagedObject {
    var binary: Data
    var flag: Bool
    var date: Date
    var decimal: Decimal
    var double: Double
    var float: Float
    var grade: Grade = Grade(number: 3)
    var uuid: UUID
    var url: URL
    var small: Int16
    var middle: Int32
    var large: Int64?
    var whole: Int?
    var text: String?
    var optionalGrade: Grade?
    var `default`: String = "x"
    var reader: String?
    var writer: String?
    var container: String?
    var a: Int = 1
    @Relationship var parent: Sample?
    @Relationship(inverse: \Sample.parent, values: true) var children: ToMany<Sample>
    @Attribute(.transient) var cache: [Int] = []
    private var count = 0
}

@Managed
final class Playlist: ManagedObject {
    @Relationship(values: true) var songs: OrderedToMany<Song>
}

@Managed
final class Song: ManagedObject {
    var title: String
}

/// The structs that `@Managed` generates.
@MainActor struct ValuesTests {
    private let container: PersistentContainer
    private let context: ManagedObjectContext
    private let sample: Sample

    init() throws {
        container = try PersistentContainer.open(
            model: ManagedObjectModel(Sample.self, Playlist.self, Song.self),
            stores: [.memory()])
        context = container.viewContext
        sample = Sample(context: context)
        sample.binary = Data([1, 2])
        sample.flag = true
        sample.date = Date(timeIntervalSinceReferenceDate: 0.1)
        sample.decimal = Decimal(sign: .minus, exponent: -20, significand: 123_456_789)
        sample.double = .pi
        sample.float = 0.1
        sample.uuid = UUID()
        sample.small = .min
        sample.middle = .max
        sample.large = .max
        sample.text = "e\u{301}"
        sample.optionalGrade = Grade(number: 9)
        if let url = URL(string: "https://example.org/é") { sample.url = url }
        let child = Sample(context: context)
        child.parent = sample
        child.binary = Data()
        child.flag = false
        child.date = .distantPast
        child.decimal = 0
        child.double = 0
        child.float = 0
        child.uuid = UUID()
        child.url = sample.url
        child.small = 0
        child.middle = 0
        try context.save()
    }

    @Test func everyTypeComesFromRowsAsFromObjects() async throws {
        let values = try await container.fetch(Sample.Values.self)
        let objects = try context.fetch(FetchRequest<Sample>())
        #expect(values == objects.map(\.values))
        #expect(Set(values).count == 2)
        #expect(values[0].optionalGrade?.number == 9)
        #expect(values[0].children == [values[1].objectID])
        #expect(values[1].parent == values[0].objectID)
    }

    @Test func everyTypeSurvivesJSON() throws {
        let values = try container.fetchAndWait(Sample.Values.self)
        let data = try JSONEncoder().encode(values)
        #expect(try JSONDecoder().decode([Sample.Values].self, from: data) == values)
    }

    @Test func jsonThatDoesNotFitIsRefused() throws {
        let data = try JSONEncoder().encode(sample.values)
        let whole = try #require(JSONSerialization.jsonObject(with: data) as? [String: Any])
        for (key, value) in [
            ("grade", -1 as Any), ("grade", "three"), ("flag", 3),
            ("objectID", "x-coredata://a/b/p1"),
            ("parent", "nobody"), ("double", NSNull()),
        ] {
            var broken = whole
            broken[key] = value
            let data = try JSONSerialization.data(withJSONObject: broken)
            #expect(throws: DecodingError.self, "\(key)") {
                try JSONDecoder().decode(Sample.Values.self, from: data)
            }
        }
        // Without an ID they are the values of a new object.
        var new = whole
        new["objectID"] = nil
        let values = try JSONDecoder().decode(
            Sample.Values.self, from: JSONSerialization.data(withJSONObject: new))
        #expect(values.objectID.isTemporaryID)
    }

    @Test func everyTypeIsWrittenBack() throws {
        let copy = try Sample(sample.values, context: context)
        var values = copy.values
        values.objectID = sample.objectID
        // The child has one parent only, and it is the copy now.
        #expect(sample.children.isEmpty)
        values.children = []
        #expect(values == sample.values)
        try copy.apply(copy.values)
        try context.save()
        try sample.apply(sample.values)
        #expect(!sample.hasChanges)
    }

    @Test func valuesAreMadeWithDefaults() throws {
        let values = Sample.Values(
            binary: Data(), flag: true, date: .now, decimal: 1, double: 2, float: 3, uuid: UUID(),
            url: sample.url, small: 1, middle: 2)
        #expect(values.objectID.isTemporaryID)
        #expect(values.grade.number == 3)
        #expect(values.default == "x")
        #expect(values.text == nil)
        #expect(values.children == [])
        let made = try Sample(values, context: context)
        #expect(made.double == 2)
        try context.save()
    }

    @Test func anOrderIsPartOfTheValues() async throws {
        let playlist = Playlist(context: context)
        let songs = ["a", "b", "c"].map { title in
            let song = Song(context: context)
            song.title = title
            return song
        }
        playlist.songs.append(contentsOf: [songs[2], songs[0], songs[1]])
        try context.save()
        let fetched = try await container.fetch(Playlist.Values.self)
        #expect(fetched == [playlist.values])
        #expect(fetched[0].songs == [songs[2], songs[0], songs[1]].map(\.objectID))
        #expect(
            try container.fetchAndWait(FetchRequest<Playlist>().select(\.songs))
                == [fetched[0].songs])
        try playlist.apply(fetched[0])
        #expect(!context.hasChanges)
        var turned = fetched[0]
        turned.songs.reverse()
        try playlist.apply(turned)
        #expect(playlist.songs.map(\.title) == ["b", "a", "c"])
        try context.save()
        #expect(try await container.fetch(Playlist.Values.self) == [turned])
    }

    @Test func everyDifferenceShows() {
        let values = sample.values
        let changes: [(inout Sample.Values) -> Void] = [
            { $0.binary = Data([1]) }, { $0.flag = false }, { $0.date = .now }, { $0.decimal = 1 },
            { $0.double = 1 }, { $0.float = 1 }, { $0.grade = Grade(number: 1) },
            { $0.uuid = UUID() }, { $0.small = 1 }, { $0.middle = 1 }, { $0.large = nil },
            { $0.whole = 1 }, { $0.text = "\u{E9}" }, { $0.optionalGrade = nil },
            { $0.default = "" }, { $0.reader = "" }, { $0.writer = "" }, { $0.container = "" },
            { $0.a = 2 }, { $0.parent = $0.objectID }, { $0.children = [] },
            { $0.url = $0.url.appending(path: "a") },
            { $0.objectID = .temporary(entity: EntityHandle(name: "Sample")) },
        ]
        for (index, change) in changes.enumerated() {
            var changed = values
            change(&changed)
            #expect(changed != values, "\(index)")
        }
        #expect(
            Set(
                changes.map { change in
                    var changed = values
                    change(&changed)
                    return changed
                }
            ).count == changes.count)
    }
}
