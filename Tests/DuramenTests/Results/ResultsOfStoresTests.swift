import Duramen
import Testing

/// Dictionaries and tuples from several stores of one container.
struct ResultsOfStoresTests {
    @Test(arguments: TwoStores.Kinds.all)
    func groupsAreMadeOverAllStores(kinds: TwoStores.Kinds) throws {
        let stores = try TwoStores(kinds).filled()
        let container = stores.container
        let groups = FetchRequest<Quake>().dictionaries(
            "status", try .init("n", "count(SELF)"), try .init("mean", "average(magnitude)"),
            try .init("mid", "median(magnitude)")
        ).grouped(by: "status")
        #expect(
            try container.fetchDictionariesAndWait(groups).map(\.words) == ["automatic 4 2.5 2.5"])
        #expect(
            try container.makeContext().fetchDictionaries(groups)
                == container.fetchDictionariesAndWait(groups))
        let regions = FetchRequest<Quake>().dictionaries(
            "region.name", try .init("sum", "sum(magnitude)")
        ).grouped(by: "region.name").having(try FetchPredicate("sum > 4.5"))
        #expect(try container.fetchDictionariesAndWait(regions).map(\.words) == ["Chile 6.0"])
        let rows = FetchRequest<Quake>().dictionaries("code").sorted(by: "code", .descending)
            .offset(1).limit(2)
        #expect(try container.fetchDictionariesAndWait(rows).map(\.words) == ["c", "b"])
    }

    @Test func rowsOfSeveralStoresComeByTheirIDs() throws {
        let stores = try TwoStores(TwoStores.Kinds.all[0]).filled()
        let rows = try stores.container.fetchDictionariesAndWait(
            FetchRequest<Quake>().dictionaries("code", ResultColumn("id", .selfObject)))
        let ids = rows.compactMap { $0.objectID("id") }
        #expect(ids.count == 4)
        #expect(ids == ids.sorted())
        let objects = try stores.container.makeContext().fetchObjectIDs(FetchRequest<Quake>())
        #expect(ids == objects)
    }

    @Test func someStoresGiveTheirRowsOnlyAndNoStoreNone() throws {
        let stores = try TwoStores(TwoStores.Kinds.all[1]).filled()
        var count = FetchRequest<Quake>().dictionaries(try .init("n", "count(SELF)"))
        count.request.affectedStores = [stores.second]
        #expect(try stores.container.fetchDictionariesAndWait(count).map(\.words) == ["2"])
        count.request.affectedStores = []
        #expect(try stores.container.fetchDictionariesAndWait(count).map(\.words) == ["0"])
        var codes = FetchRequest<Quake>().dictionaries("code")
        codes.request.affectedStores = []
        #expect(try stores.container.fetchDictionariesAndWait(codes).isEmpty)
    }
}
