import Duramen
import Testing

/// What a context says about a fetch before it is made.
@MainActor struct ExplainTests {
    private let strong = FetchRequest<Quake>().where { $0.magnitude >= 5 }
        .sorted(by: \.magnitude, .descending).limit(3)

    @Test(arguments: StoreKind.allCases)
    func theStoreSaysWhatItAnswersAndReadsNoRow(kind: StoreKind) throws {
        let container = try kind.container()
        let context = container.viewContext
        _ = context.insertQuake("a", magnitude: 6)
        try context.save()
        let counters = container.persistentStoreCoordinator.store.counters
        let rows = counters.rowsDecoded
        let explanations = try context.explain(strong)
        #expect(counters.rowsDecoded == rows)
        #expect(explanations.count == 1)
        let explanation = try #require(explanations.first)
        #expect(explanation.storeType == kind.rawValue)
        #expect(explanation.entity == "Quake")
        #expect(explanation.order == ["magnitude descending"])
        #expect(explanation.limit == 3)
        #expect(explanation.pushed == "magnitude >= ?")
        #expect(explanation.residual == nil)
        #expect(explanation.ordering == (kind == .lmdb ? .library : .store))
        #expect(explanation.windowing == (kind == .lmdb ? .library : .store))
        #expect(!explanation.steps.isEmpty)
        #expect(!explanation.description.contains("5"))
        #expect(try strong.explain(in: context) == explanations)
    }

    @Test func countingAToManyReadsNothingButAnIndex() throws {
        let container = try StoreKind.sqlite.container()
        let context = container.viewContext
        let region = context.insertRegion("a")
        for number in 0..<3 { context.insertQuake("q\(number)").region = region }
        try context.save()
        let crowded = FetchRequest<Region>().where { $0.quakes.count > 2 }
        #expect(try context.fetch(crowded) == [region])
        let steps = try #require(try context.explain(crowded).first?.steps)
        #expect(steps.contains { $0.contains("COVERING INDEX") }, "\(steps)")
    }

    @Test func unsavedChangesWidenTheWindowThatTheStoreIsAsked() throws {
        let context = try StoreKind.sqlite.container().viewContext
        let quake = context.insertQuake("a", magnitude: 6)
        // The store does not have it, so none of its results drops out.
        #expect(try context.explain(strong).first?.limit == 3)
        try context.save()
        quake.magnitude = 1
        #expect(try context.explain(strong).first?.limit == 4)
        var stored = strong
        stored.includesPendingChanges = false
        #expect(try context.explain(stored).first?.limit == 3)
    }

    @Test(arguments: TwoStores.Kinds.all)
    func everyStoreThatIsAskedSpeaks(kinds: TwoStores.Kinds) throws {
        let stores = try TwoStores(kinds).filled()
        let context = stores.container.makeContext()
        // What stands before the window may be in the other store.
        let both = try context.explain(strong.offset(2))
        #expect(both.map(\.storeType) == [kinds.first.rawValue, kinds.second.rawValue])
        #expect(both.map(\.offset) == [0, 0])
        #expect(both.map(\.limit) == [5, 5])
        let one = try context.explain(strong.affectedStores([stores.second]))
        #expect(one.map(\.storeType) == [kinds.second.rawValue])
        #expect(try context.explain(strong.affectedStores([])).isEmpty)
    }

    @Test func aChildAsksItsParent() throws {
        let context = try StoreKind.sqlite.container().viewContext
        let child = ManagedObjectContext(parent: context)
        let explanation = try #require(try child.explain(strong).first)
        #expect(explanation.storeType == "parent")
        #expect(explanation.windowing == .store)
    }

    @Test func whatDoesNotFitIsRefusedAsAFetchWouldBe() throws {
        let context = try StoreKind.sqlite.container().viewContext
        let wrong = FetchRequest<Quake>().where(.keyPath("nothing", .equal, 1))
        #expect(throws: StoreError.self) { try context.explain(wrong) }
        #expect(throws: ContextError.self) { try context.explain(strong.limit(-1)) }
        #expect(throws: ContextError.self) {
            try context.explain(FetchRequest<Quake>(entityName: "Nothing"))
        }
    }
}
