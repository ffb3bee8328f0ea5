import Duramen
import Foundation
import StoreTestSupport
import Testing

/// An airport of OpenFlights, filled by name.
final class Airport: ManagedObject {
    override class var entityDescription: EntityDescription {
        EntityDescription(
            name: "Airport",
            attributes: [
                .of(String.self, name: "name"), .of(String.self, name: "city"),
                .of(String.self, name: "country"), .of(Double.self, name: "latitude"),
                .of(Int.self, name: "altitude"),
            ], indexes: [IndexDescription("country"), IndexDescription("altitude")])
    }
}

/// Questions about real names and numbers: stores find what closures over the same values find.
@Suite(.enabled(if: Corpus.folder != nil, "\(Corpus.missing)"))
@MainActor struct OpenFlightsTests {
    private struct Values {
        var name: String
        var city: String
        var country: String
        var latitude: Double
        var altitude: Int
    }

    private static func values() throws -> [Values] {
        let path = (Corpus.folder ?? "") + "/data/openflights/airports.dat"
        let lines = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n")
        return lines.compactMap { line in
            // Text is in quotes, and has none within. What is not known is in none: such airports
            // are left out.
            let fields = line.replacing("\\\"", with: "'").split(
                separator: "\"", omittingEmptySubsequences: false)
            guard fields.count > 10, fields[2] == ",", fields[4] == "," else { return nil }
            let numbers = fields[10].split(separator: ",")
            guard numbers.count > 2, let latitude = Double(numbers[0]),
                let altitude = Int(numbers[2])
            else { return nil }
            return Values(
                name: String(fields[1]), city: String(fields[3]), country: String(fields[5]),
                latitude: latitude, altitude: altitude)
        }
    }

    private func context(_ kind: StoreKind, _ values: [Values]) throws -> ManagedObjectContext {
        let container = try kind.container(ManagedObjectModel(Airport.self))
        let context = container.makeContext()
        for value in values {
            let airport = Airport(context: context)
            try airport.setValue(value.name, forKey: "name")
            try airport.setValue(value.city, forKey: "city")
            try airport.setValue(value.country, forKey: "country")
            try airport.setValue(value.latitude, forKey: "latitude")
            try airport.setValue(value.altitude, forKey: "altitude")
        }
        try context.save()
        return container.makeContext()
    }

    private func names(_ request: FetchRequest<Airport>, _ context: ManagedObjectContext) throws
        -> [String]
    {
        try context.fetch(request).map { try $0.value(forKey: "name") as? String ?? "" }
    }

    @Test(arguments: StoreConversionTests.Pair.all)
    func airportsAreTheSameInAConvertedStore(pair: StoreConversionTests.Pair) throws {
        let values = try Self.values()
        let filled = try context(pair.from, values)
        let converted = try pair.to.container(ManagedObjectModel(Airport.self))
        try StoreConversion(
            from: filled.persistentStoreCoordinator.store,
            to: converted.persistentStoreCoordinator.store
        ).run()
        let request = FetchRequest<Airport>().sorted(by: FetchSortDescriptor("altitude"))
        let found = try names(request, converted.makeContext())
        #expect(try found == names(request, filled) && found.count == values.count)
    }

    @Test(arguments: StoreKind.allCases)
    func airportsAreThoseOfClosures(kind: StoreKind) throws {
        let values = try Self.values()
        try #require(values.count > 6_000)
        let context = try context(kind, values)
        let questions: [(String, (Values) -> Bool)] = [
            ("country == 'Iceland'", { $0.country == "Iceland" }),
            ("altitude > 8000", { $0.altitude > 8_000 }),
            ("altitude BETWEEN {-100, -1}", { (-100 ... -1).contains($0.altitude) }),
            (
                "abs:(latitude) > 66.5 AND altitude < 100",
                { abs($0.latitude) > 66.5 && $0.altitude < 100 }
            ),
            (
                "city ==[cd] 'zurich' OR city ==[cd] 'sao paulo'",
                { ["zürich", "zurich", "são paulo", "sao paulo"].contains($0.city.lowercased()) }
            ),
            (
                "name BEGINSWITH city AND city != ''",
                { $0.name.hasPrefix($0.city) && !$0.city.isEmpty }
            ),
            (
                "name LIKE '*International*' AND NOT country IN {'United States', 'Canada'}",
                {
                    $0.name.contains("International")
                        && !["United States", "Canada"].contains($0.country)
                }
            ),
            ("name MATCHES '.*[0-9].*'", { $0.name.contains { "0123456789".contains($0) } }),
        ]
        for (format, closure) in questions {
            let request = FetchRequest<Airport>().where(try FetchPredicate(format))
            let expected = values.filter(closure).map(\.name)
            // By ID is as they were inserted.
            #expect(try names(request, context) == expected, "\(format)")
            #expect(try context.count(for: request) == expected.count)
            #expect(!expected.isEmpty)
        }
        let groups = try context.fetchDictionaries(
            FetchRequest<Airport>().dictionaries(
                "country", try .init("airports", "count(SELF)"),
                try .init("highest", "max(altitude)")
            ).grouped(by: "country").having(try FetchPredicate("$airports >= 100"))
                .sorted(by: "country"))
        let expected = Dictionary(grouping: values, by: \.country).filter { $0.value.count >= 100 }
            .sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
        #expect(groups.map { $0["country"] } == expected.map { .text(StoredText($0.key)) })
        #expect(groups.map { $0["airports"] } == expected.map { .integer(Int64($0.value.count)) })
        #expect(
            groups.map { $0["highest"] }
                == expected.map { .integer(Int64($0.value.map(\.altitude).max() ?? 0)) })
    }

    @Test(arguments: StoreKind.allCases)
    func namesAreOrderedAsPeopleLookThemUp(kind: StoreKind) throws {
        let context = try context(kind, Self.values())
        let sorted = try names(
            FetchRequest<Airport>().sorted(
                by: FetchSortDescriptor("name", comparison: .localized)), context)
        let locale = Locale(identifier: "en")
        var wrong: [String] = []
        for (name, next) in zip(sorted, sorted.dropFirst()) {
            let whole = NSRange(location: 0, length: (name as NSString).length)
            let order = (name as NSString).compare(next, options: [], range: whole, locale: locale)
            if order == .orderedDescending { wrong.append("\(name) before \(next)") }
        }
        #expect(wrong.isEmpty)
        // In pages of the keys it is the same order.
        var request = FetchRequest<Airport>().sorted(
            by: FetchSortDescriptor("name", comparison: .localized)
        ).limit(1_000)
        var paged: [String] = []
        while true {
            let page = try context.fetch(request)
            paged += try page.map { try $0.value(forKey: "name") as? String ?? "" }
            guard let last = page.last else { break }
            request = try request.after(last)
        }
        #expect(paged == sorted)
    }
}
