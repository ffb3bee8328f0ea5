import Duramen
import Foundation
import StoreTestSupport
import Testing

/// Questions about real data: what a format string finds is what somebody who knows SQL finds in
/// the same data.
@Suite(.enabled(if: Chinook.isHere, "\(Corpus.missing)"))
@MainActor struct ChinookTests {
    private static func filled(_ kind: StoreKind, _ chinook: Chinook) throws -> PersistentContainer
    {
        let container = try kind.container(Chinook.model())
        try chinook.fill(container.makeContext())
        return container
    }

    /// A format string, and SQL for the same objects' numbers in the same order.
    private struct Question<Object: ManagedObject> {
        var format: String
        var arguments: [any PredicateArgument] = []
        var order: [FetchSortDescriptor] = []
        var limit: Int?
        var offset = 0
        var sql: String

        func check(_ context: ManagedObjectContext, _ chinook: Chinook) throws {
            var request = FetchRequest<Object>()
                .where(try FetchPredicate(format: format, arguments: arguments))
            request.sortDescriptors = order + [FetchSortDescriptor("number")]
            request.fetchLimit = limit
            request.fetchOffset = offset
            let numbers = try context.fetch(request).map { object -> String? in
                try object.value(forKey: "number").map { "\($0)" }
            }
            let expected = try chinook.rows(sql).map { $0[0] }
            #expect(numbers == expected, "\(format)")
            #expect(try context.count(for: request) == expected.count, "\(format)")
            if limit == nil { #expect(!expected.isEmpty, "\(format) is about nothing") }
        }
    }

    @Test(arguments: StoreKind.allCases)
    func objectsAreThoseOfTheSameQuestionInSQL(kind: StoreKind) throws {
        let chinook = Chinook()
        defer { chinook.close() }
        let context = try Self.filled(kind, chinook).makeContext()
        for question in Self.tracks { try question.check(context, chinook) }
        for question in Self.artists { try question.check(context, chinook) }
        for question in Self.albums { try question.check(context, chinook) }
        for question in Self.customers { try question.check(context, chinook) }
        for question in Self.employees { try question.check(context, chinook) }
        for question in Self.playlists { try question.check(context, chinook) }
        for question in Self.invoices { try question.check(context, chinook) }
    }

    @Test(arguments: StoreConversionTests.Pair.all)
    func theSameIsFoundInAConvertedStore(pair: StoreConversionTests.Pair) throws {
        let chinook = Chinook()
        defer { chinook.close() }
        let filled = try Self.filled(pair.from, chinook)
        let converted = try pair.to.container(Chinook.model())
        let stores = [filled, converted].map(\.persistentStoreCoordinator.store)
        try StoreConversion(from: stores[0], to: stores[1]).run()
        let context = converted.makeContext()
        for question in Self.tracks { try question.check(context, chinook) }
        for question in Self.albums { try question.check(context, chinook) }
        for question in Self.employees { try question.check(context, chinook) }
        for question in Self.playlists { try question.check(context, chinook) }
        for question in Self.invoices { try question.check(context, chinook) }
    }

    private static let tracks: [Question<Track>] = [
        .init(
            format: "milliseconds > 300000 AND unitPrice > 0.99",
            sql: "SELECT TrackId FROM Track WHERE Milliseconds > 300000 AND UnitPrice > 0.99"),
        .init(format: "composer == nil", sql: "SELECT TrackId FROM Track WHERE Composer IS NULL"),
        .init(
            format: "composer != 'AC/DC' AND milliseconds < 100000",
            sql: "SELECT TrackId FROM Track WHERE Composer IS NOT 'AC/DC' AND Milliseconds < 100000"
        ),
        .init(
            format: "album.artist.name == 'Iron Maiden' AND name CONTAINS[c] 'the'",
            sql: """
                SELECT TrackId FROM Track JOIN Album USING (AlbumId) JOIN Artist a USING (ArtistId)
                WHERE a.Name = 'Iron Maiden' AND instr(lower(Track.Name), 'the') ORDER BY TrackId
                """),
        .init(
            format: "album.artist.name IN %@ AND NOT genre.name BEGINSWITH 'R'",
            arguments: [["Queen", "U2", "Lost", "Antônio Carlos Jobim"]],
            sql: """
                SELECT TrackId FROM Track JOIN Album USING (AlbumId) JOIN Artist a USING (ArtistId)
                JOIN Genre g USING (GenreId) WHERE a.Name IN ('Queen', 'U2', 'Lost', 'Antônio Carlos Jobim')
                AND g.Name NOT LIKE 'R%' ORDER BY TrackId
                """),
        .init(
            format: "name MATCHES '[A-Z ]+'",
            sql: "SELECT TrackId FROM Track WHERE Name NOT GLOB '*[^A-Z ]*'"),
        .init(
            format: "name ENDSWITH '!' OR name LIKE '*?(Live*'",
            sql: "SELECT TrackId FROM Track WHERE Name GLOB '*!' OR Name GLOB '*?(Live*'"),
        .init(
            format: "milliseconds + bytes > 50000000 AND modulus:by:(milliseconds, 7) == 3",
            sql:
                "SELECT TrackId FROM Track WHERE Milliseconds + Bytes > 50000000 AND Milliseconds % 7 = 3"
        ),
        .init(
            format: "lines.@sum.quantity > 1",
            sql: """
                SELECT TrackId FROM Track WHERE
                (SELECT SUM(Quantity) FROM InvoiceLine l WHERE l.TrackId = Track.TrackId) > 1
                ORDER BY TrackId
                """),
        .init(
            format: "lines.@count == 0 AND ANY playlists.name == 'Grunge'",
            sql: """
                SELECT TrackId FROM Track JOIN PlaylistTrack USING (TrackId) JOIN Playlist p USING (PlaylistId)
                WHERE p.Name = 'Grunge' AND TrackId NOT IN (SELECT TrackId FROM InvoiceLine) ORDER BY TrackId
                """),
        .init(
            format: "TRUEPREDICATE", order: [FetchSortDescriptor("milliseconds", ascending: false)],
            limit: 10, offset: 20,
            sql: "SELECT TrackId FROM Track ORDER BY Milliseconds DESC, TrackId LIMIT 10 OFFSET 20"),
        .init(
            format: "genre.name == 'Jazz'",
            order: [
                FetchSortDescriptor("album.title", ascending: false), FetchSortDescriptor("name"),
            ],
            sql: """
                SELECT TrackId FROM Track JOIN Genre g USING (GenreId) JOIN Album USING (AlbumId)
                WHERE g.Name = 'Jazz' ORDER BY Title DESC, Track.Name, TrackId
                """),
    ]

    private static let artists: [Question<Artist>] = [
        .init(
            format: "albums.@count > 5",
            sql: "SELECT ArtistId FROM Album GROUP BY 1 HAVING COUNT(*) > 5 ORDER BY 1"),
        .init(
            format: "ANY albums.title CONTAINS 'Live'",
            sql: "SELECT DISTINCT ArtistId FROM Album WHERE instr(Title, 'Live') ORDER BY 1"),
        .init(
            format: "albums.@count > 0 AND ALL albums.title LIKE '*e*'",
            sql: """
                SELECT ArtistId FROM Album GROUP BY 1 HAVING SUM(Title GLOB '*e*') = COUNT(*) ORDER BY 1
                """),
        .init(
            format: "NONE albums.title LIKE '*a*' AND name < 'K'",
            sql: """
                SELECT ArtistId FROM Artist WHERE Name < 'K' AND ArtistId NOT IN
                (SELECT ArtistId FROM Album WHERE Title GLOB '*a*')
                """),
        .init(
            format: "SUBQUERY(albums, $a, $a.tracks.@count > 20).@count > 0",
            sql: """
                SELECT DISTINCT ArtistId FROM Album JOIN (SELECT AlbumId FROM Track GROUP BY 1
                HAVING COUNT(*) > 20) USING (AlbumId) ORDER BY 1
                """),
        .init(
            format: "name BETWEEN {'M', 'O'} OR name ==[cd] 'cassia eller'",
            sql: """
                SELECT ArtistId FROM Artist WHERE Name BETWEEN 'M' AND 'O' OR Name = 'Cássia Eller'
                ORDER BY ArtistId
                """),
    ]

    private static let albums: [Question<Album>] = [
        .init(
            format: "tracks.@sum.milliseconds > 4000000",
            sql:
                "SELECT AlbumId FROM Track GROUP BY 1 HAVING SUM(Milliseconds) > 4000000 ORDER BY 1"
        ),
        .init(
            format: "tracks.@avg.milliseconds < 200000",
            sql: "SELECT AlbumId FROM Track GROUP BY 1 HAVING AVG(Milliseconds) < 200000 ORDER BY 1"
        ),
        .init(
            format: "tracks.@max.bytes BETWEEN {10000000, 12000000}",
            sql: """
                SELECT AlbumId FROM Track GROUP BY 1 HAVING MAX(Bytes) BETWEEN 10000000 AND 12000000 ORDER BY 1
                """),
        .init(
            format: "length:(title) > 60 OR title ENDSWITH[c] artist.name",
            sql: """
                SELECT AlbumId FROM Album JOIN Artist USING (ArtistId) WHERE length(Title) > 60 OR
                lower(substr(Title, -length(Name))) = lower(Name) ORDER BY AlbumId
                """),
    ]

    private static let customers: [Question<Customer>] = [
        .init(
            format: "SUBQUERY(invoices, $i, $i.total > 10 AND $i.country == 'USA').@count > 0",
            sql: """
                SELECT DISTINCT CustomerId FROM Invoice WHERE Total > 10 AND BillingCountry = 'USA' ORDER BY 1
                """),
        .init(
            format: "invoices.@sum.total > 45",
            sql: "SELECT CustomerId FROM Invoice GROUP BY 1 HAVING SUM(Total) > 45 ORDER BY 1"),
        .init(
            format: "company == nil AND supportRep.lastName != 'Peacock'",
            order: [FetchSortDescriptor("country"), FetchSortDescriptor("city", ascending: false)],
            sql: """
                SELECT CustomerId FROM Customer c JOIN Employee e ON e.EmployeeId = c.SupportRepId
                WHERE Company IS NULL AND e.LastName <> 'Peacock'
                ORDER BY c.Country, c.City DESC, CustomerId
                """),
    ]

    private static let employees: [Question<Employee>] = [
        .init(
            format: "reportsTo != nil AND reportsTo.reportsTo == nil",
            sql: """
                SELECT e.EmployeeId FROM Employee e JOIN Employee r ON r.EmployeeId = e.ReportsTo
                WHERE r.ReportsTo IS NULL
                """),
        .init(
            format: "SUBQUERY(subordinates, $s, ANY $s.customers.country == 'Germany').@count > 1",
            sql: """
                SELECT ReportsTo FROM Employee WHERE EmployeeId IN
                (SELECT SupportRepId FROM Customer WHERE Country = 'Germany')
                GROUP BY 1 HAVING COUNT(*) > 1
                """),
    ]

    private static let playlists: [Question<TrackList>] = [
        .init(
            format: "ANY tracks.genre.name == 'Jazz' AND tracks.@count < 1000",
            sql: """
                SELECT DISTINCT PlaylistId FROM PlaylistTrack JOIN Track USING (TrackId)
                JOIN Genre g USING (GenreId) WHERE g.Name = 'Jazz' AND PlaylistId IN
                (SELECT PlaylistId FROM PlaylistTrack GROUP BY 1 HAVING COUNT(*) < 1000) ORDER BY 1
                """)
    ]

    private static let invoices: [Question<Invoice>] = [
        .init(
            format: "date >= %@ AND date < %@",
            arguments: [
                // The first of May and of June 2023.
                Date(timeIntervalSince1970: 1_682_899_200),
                Date(timeIntervalSince1970: 1_685_577_600),
            ],
            sql: """
                SELECT InvoiceId FROM Invoice WHERE InvoiceDate >= '2023-05-01' AND InvoiceDate < '2023-06-01'
                """),
        .init(
            format: "lines.@count > 10 AND customer.supportRep.lastName == 'Park'",
            sql: """
                SELECT InvoiceId FROM Invoice JOIN Customer USING (CustomerId) JOIN Employee e
                ON e.EmployeeId = SupportRepId WHERE e.LastName = 'Park' AND
                (SELECT COUNT(*) FROM InvoiceLine l WHERE l.InvoiceId = Invoice.InvoiceId) > 10
                ORDER BY InvoiceId
                """),
    ]

    // MARK: - Groups

    @Test(arguments: StoreKind.allCases)
    func groupsAreThoseOfTheSameQuestionInSQL(kind: StoreKind) throws {
        let chinook = Chinook()
        defer { chinook.close() }
        let context = try Self.filled(kind, chinook).makeContext()
        func expectSame<Object>(
            _ request: DictionaryFetchRequest<Object>, _ sql: String,
            location: SourceLocation = #_sourceLocation
        ) throws {
            let found = try context.fetchDictionaries(request).map {
                $0.map { Self.text($0.value) }
            }
            let expected = try chinook.rows(sql)
            #expect(found == expected, sourceLocation: location)
            #expect(!expected.isEmpty, sourceLocation: location)
        }
        try expectSame(
            FetchRequest<Track>()
                .dictionaries(
                    "genre.name", try .init("tracks", "count(SELF)"),
                    try .init("mean", "average(milliseconds)"), try .init("most", "max(bytes)")
                )
                .grouped(by: "genre.name").having(try FetchPredicate("$tracks > 50"))
                .sorted(by: "tracks", .descending),
            """
            SELECT g.Name, COUNT(*) AS n, printf('%.2f', AVG(Milliseconds)), MAX(Bytes) FROM Track
            JOIN Genre g USING (GenreId) GROUP BY GenreId HAVING n > 50 ORDER BY n DESC
            """)
        try expectSame(
            FetchRequest<Invoice>().dictionaries("country", try .init("sum", "sum(total)"))
                .grouped(by: "country").sorted(by: "country").limit(5).offset(3),
            """
            SELECT BillingCountry, printf('%.2f', SUM(Total)) FROM Invoice GROUP BY 1 ORDER BY 1
            LIMIT 5 OFFSET 3
            """)
        try expectSame(
            FetchRequest<Track>().where(try FetchPredicate("milliseconds > 250000"))
                .dictionaries("album.artist.name", try .init("tracks", "count(SELF)"))
                .grouped(by: "album.artist.name").sorted(by: "tracks", .descending)
                .sorted(by: "album.artist.name").limit(10),
            """
            SELECT a.Name, COUNT(*) AS n FROM Track JOIN Album USING (AlbumId) JOIN Artist a USING (ArtistId)
            WHERE Milliseconds > 250000 GROUP BY 1 ORDER BY n DESC, 1 LIMIT 10
            """)
        try expectSame(
            FetchRequest<Customer>().dictionaries("country").distinct().sorted(by: "country"),
            "SELECT DISTINCT Country FROM Customer ORDER BY 1")
        try expectSame(
            FetchRequest<InvoiceLine>()
                .dictionaries(
                    "track.genre.name", try .init("sales", "sum(unitPrice * quantity)"),
                    try .init("invoices", "count(invoice)")
                )
                .grouped(by: "track.genre.name").sorted(by: "track.genre.name"),
            """
            SELECT g.Name, printf('%.2f', SUM(l.UnitPrice * Quantity)), COUNT(*) FROM InvoiceLine l
            JOIN Track USING (TrackId) JOIN Genre g USING (GenreId) GROUP BY 1 ORDER BY 1
            """)
        try expectSame(
            FetchRequest<Invoice>().dictionaries(
                try .init("count", "count(SELF)"), try .init("least", "min(total)"),
                try .init("most", "max(total)"), try .init("all", "sum(total)")),
            """
            SELECT COUNT(*), printf('%.2f', MIN(Total)), printf('%.2f', MAX(Total)),
            printf('%.2f', SUM(Total)) FROM Invoice
            """)
    }

    private static func text(_ value: StoredValue) -> String? {
        switch value {
        case .null: nil
        case .integer(let number): String(number)
        case .double(let number): String(format: "%.2f", number)
        case .text(let text): text.string
        default: "\(value)"
        }
    }
}
