import Duramen
import Testing

/// Values straight from the rows of several stores.
struct ValuesOfStoresTests {
    @Test(arguments: TwoStores.Kinds.all)
    func valuesOfAllStoresComeInOneOrder(kinds: TwoStores.Kinds) async throws {
        let stores = try TwoStores(kinds).filled()
        let container = stores.container
        let request = FetchRequest<Quake>().sorted(by: \.code, .descending)
        let all = try await container.fetch(Quake.Values.self, request)
        #expect(all.map(\.code) == ["d", "c", "b", "a"])
        #expect(
            all.map(\.objectID.store)
                == [stores.second, stores.first, stores.second, stores.first])
        #expect(Set(all.compactMap(\.region?.store)) == [stores.first, stores.second])
        let window = try await container.fetch(Quake.Values.self, request.limit(2).offset(1))
        #expect(window.map(\.code) == ["c", "b"])
        let strong = try await container.fetch(
            Quake.Values.self, request.where { $0.magnitude >= 2 && $0.region.name == "Chile" })
        #expect(strong.map(\.code) == ["d", "b"])
        let names = try await container.fetch(
            FetchRequest<Region>().sorted(by: \.name).select(\.name, \.quakes))
        #expect(names.map(\.0) == ["Chile", "Honshu"])
        #expect(names.map(\.1.count) == [2, 2])
    }

    @Test func valuesOfSomeStoresAreThoseAskedFor() async throws {
        let stores = try TwoStores(TwoStores.Kinds.all[0]).filled()
        var request = FetchRequest<Quake>().sorted(by: \.code)
        request.affectedStores = [stores.second]
        let some = try await stores.container.fetch(Quake.Values.self, request)
        #expect(some.map(\.code) == ["b", "d"])
        request.affectedStores = []
        #expect(try await stores.container.fetch(Quake.Values.self, request).isEmpty)
        try stores.container.removeStore(stores.first)
        let rest = try await stores.container.fetch(Quake.Values.self)
        #expect(rest.map(\.code).sorted() == ["b", "d"])
    }
}
