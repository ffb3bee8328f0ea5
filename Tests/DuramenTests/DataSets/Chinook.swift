import CSQLite
import Duramen
import Foundation
import StoreTestSupport

// Chinook, a shop for music, in objects that are filled by name.

final class Artist: ManagedObject {
    override class var entityDescription: EntityDescription {
        EntityDescription(
            name: "Artist",
            attributes: [.of(Int.self, name: "number"), .of(String.self, name: "name")],
            relationships: [.toMany("albums", destination: "Album", inverse: "artist")])
    }
}

final class Album: ManagedObject {
    override class var entityDescription: EntityDescription {
        EntityDescription(
            name: "Album",
            attributes: [.of(Int.self, name: "number"), .of(String.self, name: "title")],
            relationships: [
                .toOne("artist", destination: "Artist", inverse: "albums"),
                .toMany("tracks", destination: "Track", inverse: "album"),
            ])
    }
}

final class Genre: ManagedObject {
    override class var entityDescription: EntityDescription {
        EntityDescription(
            name: "Genre",
            attributes: [.of(Int.self, name: "number"), .of(String.self, name: "name")],
            relationships: [.toMany("tracks", destination: "Track", inverse: "genre")])
    }
}

final class Track: ManagedObject {
    override class var entityDescription: EntityDescription {
        EntityDescription(
            name: "Track",
            attributes: [
                .of(Int.self, name: "number"), .of(String.self, name: "name"),
                .of(String?.self, name: "composer"), .of(Int.self, name: "milliseconds"),
                .of(Int.self, name: "bytes"), .of(Double.self, name: "unitPrice"),
            ],
            relationships: [
                .toOne("album", destination: "Album", inverse: "tracks"),
                .toOne("genre", destination: "Genre", inverse: "tracks"),
                .toMany("playlists", destination: "Playlist", inverse: "tracks"),
                .toMany("lines", destination: "InvoiceLine", inverse: "track"),
            ], indexes: [IndexDescription("milliseconds")])
    }
}

final class TrackList: ManagedObject {
    override class var entityDescription: EntityDescription {
        EntityDescription(
            name: "Playlist",
            attributes: [.of(Int.self, name: "number"), .of(String.self, name: "name")],
            relationships: [.toMany("tracks", destination: "Track", inverse: "playlists")])
    }
}

final class Employee: ManagedObject {
    override class var entityDescription: EntityDescription {
        EntityDescription(
            name: "Employee",
            attributes: [.of(Int.self, name: "number"), .of(String.self, name: "lastName")],
            relationships: [
                .toOne("reportsTo", destination: "Employee", inverse: "subordinates"),
                .toMany("subordinates", destination: "Employee", inverse: "reportsTo"),
                .toMany("customers", destination: "Customer", inverse: "supportRep"),
            ])
    }
}

final class Customer: ManagedObject {
    override class var entityDescription: EntityDescription {
        EntityDescription(
            name: "Customer",
            attributes: [
                .of(Int.self, name: "number"), .of(String.self, name: "lastName"),
                .of(String.self, name: "city"), .of(String.self, name: "country"),
                .of(String?.self, name: "company"),
            ],
            relationships: [
                .toOne("supportRep", destination: "Employee", inverse: "customers"),
                .toMany("invoices", destination: "Invoice", inverse: "customer"),
            ])
    }
}

final class Invoice: ManagedObject {
    override class var entityDescription: EntityDescription {
        EntityDescription(
            name: "Invoice",
            attributes: [
                .of(Int.self, name: "number"), .of(Date.self, name: "date"),
                .of(String.self, name: "country"), .of(Double.self, name: "total"),
            ],
            relationships: [
                .toOne("customer", destination: "Customer", inverse: "invoices"),
                .toMany("lines", destination: "InvoiceLine", inverse: "invoice"),
            ])
    }
}

final class InvoiceLine: ManagedObject {
    override class var entityDescription: EntityDescription {
        EntityDescription(
            name: "InvoiceLine",
            attributes: [
                .of(Int.self, name: "number"), .of(Double.self, name: "unitPrice"),
                .of(Int.self, name: "quantity"),
            ],
            relationships: [
                .toOne("invoice", destination: "Invoice", inverse: "lines"),
                .toOne("track", destination: "Track", inverse: "lines"),
            ])
    }
}

/// The database that Chinook's own makers wrote.
struct Chinook {
    /// Whether the data is on this machine.
    static let isHere = Corpus.folder != nil

    private let handle: OpaquePointer?

    init() {
        let path = (Corpus.folder ?? "") + "/data/chinook/Chinook_Sqlite.sqlite"
        var handle: OpaquePointer?
        sqlite3_open_v2(
            "file:\(path)?immutable=1", &handle, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, nil)
        self.handle = handle
    }

    /// Gives the database back.
    func close() { sqlite3_close_v2(handle) }

    /// The rows of a statement, as texts; nil for null.
    func rows(_ sql: String) throws -> [[String?]] {
        var statement: OpaquePointer?
        guard sqlite3_prepare_v2(handle, sql, -1, &statement, nil) == SQLITE_OK else {
            throw StoreError(.io, String(cString: sqlite3_errmsg(handle)))
        }
        defer { sqlite3_finalize(statement) }
        var rows: [[String?]] = []
        while sqlite3_step(statement) == SQLITE_ROW {
            rows.append(
                (0..<sqlite3_column_count(statement)).map { column in
                    sqlite3_column_text(statement, column).map { String(cString: $0) }
                })
        }
        return rows
    }

    // MARK: - Objects

    static func model() throws -> ManagedObjectModel {
        try ManagedObjectModel(
            Artist.self, Album.self, Genre.self, Track.self, TrackList.self, Employee.self,
            Customer.self, Invoice.self, InvoiceLine.self)
    }

    /// Fills a store with all of it.
    func fill(_ context: ManagedObjectContext) throws {
        let artists = try objects({ Artist(context: $0) }, context, "Artist", ["number", "name"])
        let albums = try objects(
            { Album(context: $0) }, context, "Album", ["number", "title"], ["artist": artists])
        let genres = try objects({ Genre(context: $0) }, context, "Genre", ["number", "name"])
        let tracks = try objects(
            { Track(context: $0) }, context,
            "(SELECT TrackId, Name, Composer, Milliseconds, Bytes, UnitPrice, AlbumId, GenreId FROM Track)",
            ["number", "name", "composer", "milliseconds", "bytes", "unitPrice"],
            ["album": albums, "genre": genres])
        let playlists = try objects(
            { TrackList(context: $0) }, context, "Playlist", ["number", "name"])
        let employees = try objects(
            { Employee(context: $0) }, context, "(SELECT EmployeeId, LastName FROM Employee)",
            ["number", "lastName"])
        for row in try rows("SELECT EmployeeId, ReportsTo FROM Employee") {
            try row[0].flatMap { employees[$0] }?
                .setValue(row[1].flatMap { employees[$0] }, forKey: "reportsTo")
        }
        let customers = try objects(
            { Customer(context: $0) }, context,
            "(SELECT CustomerId, LastName, City, Country, Company, SupportRepId FROM Customer)",
            ["number", "lastName", "city", "country", "company"], ["supportRep": employees])
        let invoices = try objects(
            { Invoice(context: $0) }, context,
            """
            (SELECT InvoiceId, strftime('%s', InvoiceDate) - 978307200, BillingCountry, Total, CustomerId
            FROM Invoice)
            """, ["number", "date", "country", "total"], ["customer": customers])
        _ = try objects(
            { InvoiceLine(context: $0) }, context,
            "(SELECT InvoiceLineId, UnitPrice, Quantity, InvoiceId, TrackId FROM InvoiceLine)",
            ["number", "unitPrice", "quantity"], ["invoice": invoices, "track": tracks])
        var members: [String: [Track]] = [:]
        for row in try rows("SELECT PlaylistId, TrackId FROM PlaylistTrack") {
            if let playlist = row[0], let track = row[1].flatMap({ tracks[$0] }) {
                members[playlist, default: []].append(track)
            }
        }
        for (number, tracks) in members {
            try playlists[number]?.setValue(tracks, forKey: "tracks")
        }
        try context.save()
    }

    /// Makes an object of each row: attributes first, then what the to-ones lead to, by number.
    private func objects<Object: ManagedObject>(
        _ make: (ManagedObjectContext) -> Object, _ context: ManagedObjectContext, _ table: String,
        _ attributes: [String],
        _ toOnes: KeyValuePairs<String, [String: ManagedObject]> = [:]
    ) throws -> [String: Object] {
        var objects: [String: Object] = [:]
        for row in try rows("SELECT * FROM \(table)") {
            let object = make(context)
            for (name, text) in zip(attributes, row) {
                try object.setValue(value(text, of: name), forKey: name)
            }
            for (toOne, number) in zip(toOnes, row[attributes.count...]) {
                try object.setValue(number.flatMap { toOne.value[$0] }, forKey: toOne.key)
            }
            objects[row[0] ?? ""] = object
        }
        return objects
    }

    private func value(_ text: String?, of name: String) -> Any? {
        switch name {
        case "number", "milliseconds", "bytes", "quantity": text.flatMap(Int.init)
        case "unitPrice", "total": text.flatMap(Double.init)
        case "date":
            text.flatMap(Double.init).map { Date(timeIntervalSinceReferenceDate: $0) }
        default: text
        }
    }
}
