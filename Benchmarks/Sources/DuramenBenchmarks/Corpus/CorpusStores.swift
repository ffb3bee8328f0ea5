import Duramen
import DuramenMacros
import DuramenSQLite

/// A track of Chinook.
@Managed
final class Track: ManagedObject {
    var name: String
    var composer: String?
    var milliseconds: Int64
    var bytes: Int64
    var unitPrice: Double
}

/// An airport of OpenFlights.
@Managed
final class Airport: ManagedObject {
    var name: String
    var city: String
    @Attribute(.indexed) var country: String
    var latitude: Double
    var longitude: Double
    var altitude: Int64
}

/// The data sets in a store of Duramen and in a file of the same tables.
@MainActor
struct CorpusStores {
    let container: PersistentContainer
    let connection: RawConnection

    init(
        _ dataset: Dataset, tracks: [CorpusValues.Track], airports: [CorpusValues.Airport]
    ) throws {
        container = try PersistentContainer.open(
            model: ManagedObjectModel(Track.self, Airport.self),
            stores: [.sqlite(try dataset.emptyPath("corpus-duramen")).durability(.relaxed)])
        connection = try RawConnection(dataset.emptyPath("corpus-raw"))
        try fill(tracks, airports)
        try fillTables(tracks, airports)
    }

    private func fill(
        _ tracks: [CorpusValues.Track], _ airports: [CorpusValues.Airport]
    ) throws {
        let context = container.makeContext()
        for values in tracks {
            let track = Track(context: context)
            track.name = values.Name
            track.composer = values.Composer
            track.milliseconds = values.Milliseconds
            track.bytes = values.Bytes
            track.unitPrice = values.UnitPrice
        }
        for values in airports {
            let airport = Airport(context: context)
            airport.name = values.name
            airport.city = values.city
            airport.country = values.country
            airport.latitude = values.latitude
            airport.longitude = values.longitude
            airport.altitude = values.altitude
        }
        try context.save()
    }

    private func fillTables(
        _ tracks: [CorpusValues.Track], _ airports: [CorpusValues.Airport]
    ) throws {
        try connection.execute(
            """
            CREATE TABLE track(
                id INTEGER PRIMARY KEY, name TEXT NOT NULL, composer TEXT,
                milliseconds INTEGER NOT NULL, bytes INTEGER NOT NULL, unitPrice REAL NOT NULL);
            CREATE TABLE airport(
                id INTEGER PRIMARY KEY, name TEXT NOT NULL, city TEXT NOT NULL,
                country TEXT NOT NULL, latitude REAL NOT NULL, longitude REAL NOT NULL,
                altitude INTEGER NOT NULL);
            CREATE INDEX airport_country ON airport(country);
            """)
        try connection.write {
            let track = try connection.prepare("INSERT INTO track VALUES(?, ?, ?, ?, ?, ?)")
            for values in tracks {
                track.bind(values.TrackId, at: 1)
                track.bind(copied: values.Name, at: 2)
                track.bind(copied: values.Composer, at: 3)
                track.bind(values.Milliseconds, at: 4)
                track.bind(values.Bytes, at: 5)
                track.bind(values.UnitPrice, at: 6)
                try track.run()
            }
            let airport = try connection.prepare("INSERT INTO airport VALUES(?, ?, ?, ?, ?, ?, ?)")
            for values in airports {
                airport.bind(values.id, at: 1)
                airport.bind(copied: values.name, at: 2)
                airport.bind(copied: values.city, at: 3)
                airport.bind(copied: values.country, at: 4)
                airport.bind(values.latitude, at: 5)
                airport.bind(values.longitude, at: 6)
                airport.bind(values.altitude, at: 7)
                try airport.run()
            }
        }
    }
}
