import Duramen
import Foundation
import StoreTestSupport
import Testing

/// Feeds as they are published.
@Suite(.enabled(if: Corpus.folder != nil, "\(Corpus.missing)"))
@MainActor struct ImportCorpusTests {
    private static func feed(_ name: String, at pointer: String = "") -> ImportFeed {
        .file("\(Corpus.folder ?? "")/data/\(name)", at: pointer)
    }

    @Test(arguments: StoreKind.allCases)
    func earthquakesComeFromGeoJSON(kind: StoreKind) throws {
        let model = try ManagedObjectModel([
            EntityDescription(
                name: "Event",
                attributes: [
                    AttributeDescription("id", .string),
                    AttributeDescription("magnitude", .double, isOptional: true),
                    AttributeDescription("depth", .double, isOptional: true),
                    AttributeDescription("time", .date),
                    AttributeDescription("hasTsunami", .boolean),
                    AttributeDescription("url", .uri),
                ],
                relationships: [.toOne("network", destination: "Network", inverse: "events")],
                uniquenessConstraints: [["id"]]),
            EntityDescription(
                name: "Network", attributes: [AttributeDescription("code", .string)],
                relationships: [.toMany("events", destination: "Event", inverse: "network")],
                uniquenessConstraints: [["code"]]),
        ])
        let context = try kind.container(model).viewContext
        func run() throws -> ImportReport {
            try context.importFeed(
                Self.feed("usgs-earthquakes/all_week.geojson", at: "/features"), into: "Event"
            ) {
                $0.rename("/properties/mag", to: "magnitude")
                $0.rename("/properties/time", to: "time")
                $0.rename("/properties/tsunami", to: "hasTsunami")
                $0.rename("/properties/url", to: "url")
                $0.rename("/properties/net", to: "network")
                $0.rename("/geometry/coordinates/2", to: "depth")
                $0.date(.millisecondsSince1970)
            }
        }
        let report = try run()
        #expect(report.failures == [] && report.entities["Event"]?.inserted == 1_707)
        let second = try run()
        #expect(second.inserted == 0 && second.updated == 0)
        let event = try #require(try context.objects("Event", by: "id")["ci37868143"])
        #expect(try event.value(forKey: "magnitude") as? Double == 2)
        #expect(try event.value(forKey: "depth") as? Double == 26.49)
        #expect(
            try event.value(forKey: "time") as? Date
                == Date(timeIntervalSince1970: 1_517_966_773.84))
        let network = try event.value(forKey: "network") as? ManagedObject
        #expect(try network?.value(forKey: "code") as? String == "ci")
    }

    @Test(arguments: StoreKind.allCases)
    func administrativeRegionsCome(kind: StoreKind) throws {
        let model = try ManagedObjectModel([
            EntityDescription(
                name: "Region",
                attributes: [
                    AttributeDescription("code", .string), AttributeDescription("name", .string),
                ], uniquenessConstraints: [["code"]])
        ])
        let context = try kind.container(model).viewContext
        for name in ["admin1", "admin2"] {
            let report = try context.importFeed(
                Self.feed("geonames-admin/\(name).json"), into: "Region")
            #expect(report.failures == [] && report.inserted > 3_000)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func musicComesTableByTable(kind: StoreKind) throws {
        func number(_ name: String) -> AttributeDescription {
            AttributeDescription(name, .integer64, isOptional: true)
        }
        let model = try ManagedObjectModel([
            EntityDescription(
                name: "Artist",
                attributes: [
                    number("ArtistId"), AttributeDescription("Name", .string, isOptional: true),
                ],
                relationships: [.toMany("albums", destination: "Album", inverse: "artist")],
                uniquenessConstraints: [["ArtistId"]]),
            EntityDescription(
                name: "Album",
                attributes: [
                    number("AlbumId"), AttributeDescription("Title", .string, isOptional: true),
                ],
                relationships: [
                    .toOne("artist", destination: "Artist", inverse: "albums"),
                    .toMany("tracks", destination: "Track", inverse: "album"),
                ], uniquenessConstraints: [["AlbumId"]]),
            EntityDescription(
                name: "Track",
                attributes: [
                    number("TrackId"), AttributeDescription("Name", .string, isOptional: true),
                    AttributeDescription("UnitPrice", .decimal, isOptional: true),
                ], relationships: [.toOne("album", destination: "Album", inverse: "tracks")],
                uniquenessConstraints: [["TrackId"]]),
        ])
        let container = try kind.container(model)
        let context = container.viewContext
        for (entity, relationship, key) in [
            ("Track", "album", "AlbumId"), ("Album", "artist", "ArtistId"), ("Artist", "", ""),
        ] {
            let report = try context.importFeed(
                Self.feed("chinook/ChinookData.json", at: "/\(entity)"), into: entity
            ) {
                if !relationship.isEmpty { $0.rename(key, to: relationship) }
            }
            #expect(report.failures == [])
        }
        let other = container.otherContext()
        #expect(try other.count(for: FetchRequest<ManagedObject>(entityName: "Track")) == 3_503)
        #expect(try other.count(for: FetchRequest<ManagedObject>(entityName: "Album")) == 347)
        let rock = FetchRequest<ManagedObject>(entityName: "Track").where(
            try FetchPredicate("album.artist.Name == 'AC/DC'"))
        #expect(try other.count(for: rock) == 18)
        let track = try #require(try other.objects("Track", by: "TrackId")["1"])
        #expect(try track.value(forKey: "UnitPrice") as? Decimal == Decimal(string: "0.99"))
    }

    @Test func airportsComeFromRowsOfCSV() throws {
        struct Row: Encodable, Sendable {
            var iata: String
            var name: String
            var latitude: Decimal?
        }
        let path = "\(Corpus.folder ?? "")/data/us-flights/airports.csv"
        let rows = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n")
            .dropFirst().compactMap { line -> Row? in
                let fields = line.split(separator: ",", omittingEmptySubsequences: false)
                guard fields.count == 7, !line.contains("\"") else { return nil }
                return Row(
                    iata: String(fields[0]), name: String(fields[1]),
                    latitude: Decimal(string: String(fields[5])))
            }
        let model = try ManagedObjectModel([
            EntityDescription(
                name: "Airport",
                attributes: [
                    AttributeDescription("iata", .string), AttributeDescription("name", .string),
                    AttributeDescription("latitude", .decimal, isOptional: true),
                ], uniquenessConstraints: [["iata"]])
        ])
        let context = try StoreKind.memory.container(model).viewContext
        let report = try context.importFeed(.values(rows), into: "Airport")
        #expect(rows.count > 3_000 && report.failures == [])
        #expect(report.inserted == Set(rows.map(\.iata)).count)
        let airport = try #require(try context.objects("Airport", by: "iata")["00M"])
        #expect(try airport.value(forKey: "latitude") as? Decimal == Decimal(string: "31.95376472"))
    }
}
