import Duramen
import Foundation
import Testing

/// Typed aggregates of groups.
struct SummaryTests {
    @Test(arguments: StoreKind.allCases)
    func groupsGiveTuples(kind: StoreKind) async throws {
        let container = try Sales.container(kind)
        let titles = try await container.fetch(
            FetchRequest<Sale>().select(
                \.title, aggregating: .count, .sum(\.quantity), .max(\.weight)))
        #expect(titles.map(\.0) == [nil, "Bread", "bread", "fish"])
        #expect(titles.map(\.1) == [2, 1, 3, 2])
        #expect(titles.map(\.2) == [5, 1, 12, 1])
        #expect(titles.map(\.3) == [2.5, nil, 4, 1])
    }

    @Test(arguments: StoreKind.allCases)
    func toOnesAreObjectIDs(kind: StoreKind) throws {
        let container = try Sales.container(kind)
        let shops = try container.fetchAndWait(
            FetchRequest<Sale>().select(\.shop, aggregating: .count)
                .sorted(by: .count, .descending))
        #expect(shops.map(\.1) == [4, 3, 1])
        #expect(shops.map { $0.0?.entityName } == ["Shop", "Shop", nil])
    }

    @Test func withoutPropertiesThereIsOneTuple() throws {
        let container = try Sales.container(.sqlite)
        let all = try container.fetchAndWait(
            FetchRequest<Sale>().select(
                aggregating: .count, .count(\.quantity), .average(\.quantity), .sum(\.amount),
                .median(\.weight), .min(\.day)))
        #expect(all.count == 1)
        #expect(all[0].0 == 8)
        #expect(all[0].1 == 6)
        #expect(all[0].2 == 19.0 / 6.0)
        #expect(all[0].3 == Decimal(string: "30.15"))
        #expect(all[0].4 == 1.25)
        #expect(all[0].5 == Date(timeIntervalSinceReferenceDate: 0))
        let none = try container.fetchAndWait(
            FetchRequest<Sale>().where { $0.code == "z" }.select(
                aggregating: .count, .sum(\.weight), .standardDeviation(\.quantity)))
        #expect(none.count == 1)
        #expect(none[0] == (0, 0, nil))
    }

    @Test func oneAggregateIsNoTuple() throws {
        let container = try Sales.container(.memory)
        let strongest: [Double?] = try container.fetchAndWait(
            FetchRequest<Sale>().select(aggregating: .max(\.weight)))
        #expect(strongest == [4])
    }

    @Test func groupsHaveConditionsOrderAndWindow() throws {
        let container = try Sales.container(.memory)
        let titles = try container.fetchAndWait(
            FetchRequest<Sale>().sorted(by: \.title, .descending).limit(1)
                .select(\.title, aggregating: .count)
                .having(try FetchPredicate("count(SELF) > 1")))
        #expect(titles.map(\.0) == ["fish"])
    }

    @Test func enumerationsAreGrouped() async throws {
        let container = try StoreKind.sqlite.container()
        try container.saveElsewhere { context in
            for number in 0..<5 {
                context.insertQuake("q\(number)", magnitude: Double(number)).status =
                    number < 2 ? .reviewed : .automatic
            }
        }
        let states = try await container.fetch(
            FetchRequest<Quake>().select(\.status, aggregating: .average(\.magnitude)))
        #expect(states.map(\.0) == [.automatic, .reviewed])
        #expect(states.map(\.1) == [3, 0.5])
    }

    @Test func aKeyPathThatIsNoPropertyIsRefused() throws {
        let container = try Sales.container(.memory)
        let error = #expect(throws: StoreError.self) {
            try container.fetchAndWait(
                FetchRequest<Sale>().select(\.titleOrNone, aggregating: .count))
        }
        #expect(error?.detail == "unknownProperty")
    }
}

extension Sale {
    fileprivate var titleOrNone: String { title ?? "none" }
}
