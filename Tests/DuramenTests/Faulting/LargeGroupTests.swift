import Duramen
import DuramenModel
import Testing

/// Rows that take too much memory to be read in one piece are read in several.
@MainActor
@Suite struct LargeGroupTests {
    private func container(_ kind: StoreKind) throws -> PersistentContainer {
        let container = try kind.container()
        try container.saveElsewhere { context in
            for number in 0..<40 {
                _ = context.insertRegion("R\(number) " + String(repeating: "x", count: 1_000))
            }
        }
        return container
    }

    private func faults() -> FetchRequest<Region> {
        var request = FetchRequest<Region>()
        request.includesPropertyValues = false
        return request
    }

    @Test("A fault loads its neighbours only as far as they fit", arguments: StoreKind.allCases)
    func neighbours(kind: StoreKind) throws {
        let context = try container(kind).makeContext()
        let regions = try context.fetch(faults())
        try #require(regions.count == 40 && regions.allSatisfy(\.isFault))
        RowAnswerLimit.$bytes.withValue(5_000) { _ = regions[7].name }
        #expect(!regions[7].isFault)
        #expect((1..<8).contains(regions.count { !$0.isFault }))
        #expect(Set(regions.map(\.name)).count == 40)
    }

    @Test("Who asks for all rows gets them in several pieces", arguments: StoreKind.allCases)
    func allRows(kind: StoreKind) throws {
        let container = try container(kind)
        let context = container.makeContext()
        var request = faults()
        request.returnsObjectsAsFaults = false
        // Less than one row takes, and more than a few do.
        for limit in [10, 5_000] {
            context.reset()
            let (regions, statements) = try RowAnswerLimit.$bytes.withValue(limit) {
                var regions: [Region] = []
                let statements = try container.statements { regions = try context.fetch(request) }
                return (regions, statements)
            }
            #expect(regions.count == 40 && !regions.contains(where: \.isFault))
            #expect(statements > 10)
        }
    }
}
