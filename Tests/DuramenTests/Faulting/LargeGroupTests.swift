import Duramen
import DuramenModel
import DuramenStore
import StoreTestSupport
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
        RowAnswerLimit.$current.withValue(5_000) { _ = regions[7].name }
        #expect(!regions[7].isFault)
        #expect((1..<8).contains(regions.count { !$0.isFault }))
        #expect(Set(regions.map(\.name)).count == 40)
    }

    @Test("Who asks for all rows gets them in several pieces", arguments: StoreKind.allCases)
    func allRows(kind: StoreKind) throws {
        let container = try container(kind)
        let ids = try container.makeContext().fetchObjectIDs(FetchRequest<Region>())
        let snapshot = try container.store.snapshot()
        let whole = try snapshot.rows(for: ids).map(\.key)
        #expect(whole.count == 40)
        // Less than one row takes, and more than a few do.
        for limit in [10, 5_000] {
            try RowAnswerLimit.$current.withValue(limit) {
                #expect(storeErrorCode { _ = try snapshot.rows(for: ids) } == .tooLarge)
                let pieces = try snapshot.batches(for: ids)
                #expect(pieces.count > 5 && pieces.allSatisfy { !$0.isEmpty })
                #expect(pieces.joined().map(\.key) == whole)
            }
        }
    }

    @Test(
        "Changes of many large objects are saved, merged and deleted",
        arguments: StoreKind.allCases)
    func changes(kind: StoreKind) throws {
        let container = try container(kind)
        let (context, other) = (container.makeContext(), container.makeContext())
        let held = try other.fetch(FetchRequest<Region>())
        try RowAnswerLimit.$current.withValue(5_000) {
            for region in try context.fetch(FetchRequest<Region>()) { region.name += "y" }
            try context.save()
            other.processPendingChanges()
            #expect(held.allSatisfy { $0.name.hasSuffix("y") })
            for region in held { other.delete(region) }
            try other.save()
        }
        #expect(try context.count(for: FetchRequest<Region>()) == 0)
    }
}
