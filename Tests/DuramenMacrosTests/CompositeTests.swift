import Duramen
import DuramenMacros
import DuramenMemory
import DuramenSQLite
import Foundation
import Testing

@Composite
struct Square: Equatable {
    var zone: Int = 0
    var letters: String?
}

@Composite
struct Place: Equatable {
    var latitude: Double = 0
    var longitude: Double = 0
    @Attribute(.composite) var square: Square?
    @Attribute(.codable("Names")) var names: [String] = []
    @Attribute(.codable("Words")) var words: [Int: String]?
    static let pole = Place(latitude: 90)
    var isNorthern: Bool { latitude > 0 }
}

/// Composites before, between and after other properties, whose slots they move.
@Managed(unique: [["origin.square.letters", "code"]], indexes: [["epicentre.latitude"]])
class Tremor: ManagedObject {
    var code: String = ""
    @Attribute(.composite) var epicentre: Place = Place(latitude: 1, names: ["a"])
    var magnitude: Double = 0
    @Attribute(.composite, originalName: "start") var origin: Place?
    @Attribute(.codable("Names")) var tags: [String] = ["new"]
    @Attribute(.codable("Instrument"), .confidential) var station: Instrument?
    @Relationship var region: Zone?
}

@Managed
final class Aftershock: Tremor {
    @Attribute(.composite) var area: Place?
    var number: Int = 0
}

@Managed
final class Zone: ManagedObject {
    var name: String = ""
}

struct Instrument: Codable, Sendable, Equatable {
    var name: String
    var heights: [Double]
}

@Suite @MainActor struct CompositeTests {
    private let model: ManagedObjectModel
    private let container: PersistentContainer

    init() async throws {
        model = try ManagedObjectModel(Tremor.self, Aftershock.self, Zone.self)
        container = try await PersistentContainer(model: model, stores: [.memory()])
    }

    private func shock() -> Aftershock {
        let shock = Aftershock(context: container.viewContext)
        shock.code = "a"
        shock.magnitude = 6
        shock.origin = Place(
            latitude: 3, longitude: 4, square: Square(zone: 5, letters: "KL"), names: ["Suva"],
            words: [1: "one"])
        shock.area = .pole
        shock.number = 7
        shock.tags = ["felt", "deep"]
        shock.station = Instrument(name: "N1", heights: [1.5])
        shock.region = Zone(context: container.viewContext)
        return shock
    }

    @Test("Properties before and behind composites keep apart, inherited ones too")
    func slots() throws {
        let saved = shock()
        let context = container.viewContext
        try context.save()
        try context.refresh(saved, mergeChanges: false)
        #expect(saved.code == "a" && saved.magnitude == 6 && saved.number == 7)
        #expect(saved.origin?.square == Square(zone: 5, letters: "KL"))
        #expect(saved.origin?.words == [1: "one"] && saved.origin?.names == ["Suva"])
        #expect(saved.area == .pole)
        #expect(saved.tags == ["felt", "deep"])
        #expect(saved.station == Instrument(name: "N1", heights: [1.5]))
        #expect(saved.region != nil)
        saved.origin?.square = nil
        saved.area = nil
        #expect(saved.origin?.square == nil && saved.origin?.latitude == 3)
        #expect(saved.area == nil && saved.number == 7)
    }

    @Test("The initial value of a composite is the default of its elements")
    func defaults() throws {
        let shock = Tremor(context: container.viewContext)
        #expect(shock.epicentre == Place(latitude: 1, names: ["a"]))
        #expect(shock.origin == nil && shock.tags == ["new"] && shock.station == nil)
    }

    @Test("Predicates, orders and selections reach into composites")
    func queries() async throws {
        _ = shock()
        let other = Tremor(context: container.viewContext)
        other.epicentre.latitude = -5
        try container.viewContext.save()
        let northern = try container.viewContext.fetch(
            FetchRequest<Tremor>().where { $0.epicentre.latitude > 0 && $0.origin != nil }
                .sorted(by: \.epicentre.latitude))
        #expect(northern.map(\.code) == ["a"])
        let pairs = try await container.fetch(
            FetchRequest<Tremor>().sorted(by: \.epicentre.latitude)
                .select(\.epicentre, \.origin, \.epicentre.latitude))
        #expect(pairs.map(\.0.latitude) == [-5, 1] && pairs.map(\.2) == [-5, 1])
        #expect(pairs.map { $0.1?.square?.zone } == [nil, 5])
    }

    @Test("A model of classes equals the same model built by hand")
    func checksum() throws {
        func place(_ name: String, isOptional: Bool) -> AttributeDescription {
            .composite(
                name, isOptional: isOptional,
                elements: [
                    AttributeDescription("latitude", .double),
                    AttributeDescription("longitude", .double),
                    .composite(
                        "square", isOptional: true,
                        elements: [
                            AttributeDescription("zone", .integer64),
                            AttributeDescription("letters", .string, isOptional: true),
                        ]),
                    .codable([String].self, name: "names", identifier: "Names"),
                    .codable([Int: String]?.self, name: "words", identifier: "Words"),
                ])
        }
        var origin = place("origin", isOptional: true)
        origin.renamingIdentifier = "start"
        let tremor = EntityDescription(
            name: "Tremor",
            attributes: [
                AttributeDescription("code", .string), place("epicentre", isOptional: false),
                AttributeDescription("magnitude", .double), origin,
                .codable([String].self, name: "tags", identifier: "Names"),
                .codable(Instrument?.self, name: "station", identifier: "Instrument")
                    .confidential(),
            ],
            relationships: [.toOne("region", destination: "Zone")],
            uniquenessConstraints: [["origin.square.letters", "code"]],
            indexes: [IndexDescription("epicentre.latitude")])
        let aftershock = EntityDescription(
            name: "Aftershock", superentity: "Tremor",
            attributes: [
                place("area", isOptional: true), AttributeDescription("number", .integer64),
            ])
        let zone = EntityDescription(
            name: "Zone", attributes: [AttributeDescription("name", .string)])
        let byHand = try ManagedObjectModel([tremor, aftershock, zone])
        #expect(byHand.versionChecksum == model.versionChecksum)
    }

    @Test("Values have composites and encoded values, of objects and of rows alike")
    func values() async throws {
        let saved = shock()
        try container.viewContext.save()
        let values = Aftershock.Values(saved)
        let fetched = try await container.fetch(Aftershock.Values.self, FetchRequest())
        #expect(fetched == [values] && fetched[0].hashValue == values.hashValue)
        #expect(fetched[0].origin == saved.origin && fetched[0].area == .pole)
        #expect(fetched[0].tags == ["felt", "deep"] && fetched[0].station == saved.station)
        var changed = values
        changed.area?.square = Square(zone: 1)
        #expect(changed != values)
        changed = values
        changed.superValues.tags = []
        #expect(changed != values)
    }

    @Test("Values with composites survive coding, nil ones too")
    func coding() throws {
        for shock in [shock(), Aftershock(context: container.viewContext)] {
            let values = Aftershock.Values(shock)
            let data = try JSONEncoder().encode(values)
            #expect(try JSONDecoder().decode(Aftershock.Values.self, from: data) == values)
        }
        let values = Aftershock.Values(shock())
        let text = String(decoding: try JSONEncoder().encode(values), as: UTF8.self)
        #expect(text.contains("\"area\":{") && text.contains("\"latitude\":90"))
        let broken = text.replacingOccurrences(of: "\"latitude\":90", with: "\"latitude\":\"x\"")
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode(Aftershock.Values.self, from: Data(broken.utf8))
        }
    }

    @Test("Applying values writes the elements that differ, and refuses before it writes")
    func applying() throws {
        let saved = shock()
        let context = container.viewContext
        try context.save()
        var values = Aftershock.Values(saved)
        try saved.apply(values)
        #expect(!saved.hasChanges)
        values.area?.longitude = 2
        try saved.apply(values)
        #expect(saved.hasChanges && saved.area == Place(latitude: 90, longitude: 2))
        context.rollback()
        values.number = 9
        values.area?.latitude = .nan
        #expect(throws: ContextError.self) { try saved.apply(values) }
        values.area?.latitude = 0
        values.superValues.station?.heights = [.infinity]
        #expect(throws: ContextError.self) { try saved.apply(values) }
        #expect(!saved.hasChanges && saved.number == 7)
        let copy = try Aftershock(Aftershock.Values(saved), context: context)
        #expect(
            copy.origin == saved.origin && copy.station == saved.station && copy.tags == saved.tags)
    }

    @Test("Encoded bytes that are no value of the type are an error for values, not a trap")
    func damaged() async throws {
        let path = FileManager.default.temporaryDirectory
            .appending(path: "duramen-\(UUID().uuidString).sqlite").path
        defer { for end in ["", "-wal", "-shm", ".lock"] { unlink(path + end) } }
        do {
            let container = try await PersistentContainer(
                model: ManagedObjectModel(NoteOfText.self), stores: [.sqlite(path)])
            NoteOfText(context: container.viewContext).things = ["a"]
            try container.viewContext.save()
            try container.close()
        }
        let container = try await PersistentContainer(
            model: ManagedObjectModel(NoteOfNumbers.self), stores: [.sqlite(path)])
        let error = await #expect(throws: ContextError.self) {
            try await container.fetch(NoteOfNumbers.Values.self, FetchRequest())
        }
        #expect(error?.message.contains("things") == true)
        let note = try #require(
            try container.viewContext.fetch(FetchRequest<NoteOfNumbers>()).first)
        #expect(NoteOfNumbers.Values(exactly: note) == nil)
        #expect(note.things == [] && note.faultError != nil)
        try container.close()
    }
}

@Managed(entity: "Note")
final class NoteOfText: ManagedObject {
    @Attribute(.codable("Things")) var things: [String] = []
}

@Managed(entity: "Note")
final class NoteOfNumbers: ManagedObject {
    @Attribute(.codable("Things")) var things: [Int] = []
}
