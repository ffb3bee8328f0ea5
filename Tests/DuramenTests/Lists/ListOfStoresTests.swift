import Duramen
import DuramenTestKit
import StoreTestSupport
import Testing

/// Lists over several stores, and lists of what is stored only.
@Suite(.serialized)
struct ListOfStoresTests {
    @Test(arguments: TwoStores.Kinds.all)
    func batchesOfSeveralStoresGiveWhatAFetchGives(kinds: TwoStores.Kinds) throws {
        for seed in workloadSeeds(2) {
            print("seed \(seed) (\(kinds.testDescription))")
            let stores = try TwoStores(kinds)
            let requests = [
                FetchRequest<Quake>().sorted(by: \.magnitude),
                FetchRequest<Quake>().sorted(by: "region.name")
                    .sorted(by: \.magnitude, .descending),
                FetchRequest<Quake>().where { $0.magnitude > 2 }.sorted(by: \.code).limit(6),
            ]
            let context = stores.container.makeContext()
            let probes = try requests.enumerated().map { number, request in
                try ListProbe(
                    FetchedResultsController(
                        fetchRequest: request, managedObjectContext: context,
                        sectionNameKeyPath: number == 1 ? "region.name" : nil),
                    name: number == 1 ? { $0.region?.name ?? "" } : nil)
            }
            var random = SplitMix64(seed: seed)
            for step in 0..<80 {
                if Bool.random(using: &random) {
                    // Edits of the same objects are other tests' business.
                    try context.save()
                    try stores.container.saveElsewhere { other in
                        try change(other, in: stores, using: &random)
                    }
                } else {
                    try change(context, in: stores, using: &random)
                    if Bool.random(using: &random) { try context.save() }
                }
                context.processPendingChanges()
                for probe in probes { try probe.check("seed \(seed), step \(step)") }
            }
            #expect(probes.allSatisfy { $0.batchCount > 5 })
        }
    }

    private func change(
        _ context: ManagedObjectContext, in stores: TwoStores, using random: inout SplitMix64
    ) throws {
        let quakes = try context.fetch(FetchRequest<Quake>().sorted(by: \.code))
        switch Int.random(in: 0..<6, using: &random) {
        case 0, 1:
            let store = Bool.random(using: &random) ? stores.first : stores.second
            let region = context.insertRegion("r\(Int.random(in: 0..<4, using: &random))")
            let quake = context.insertQuake(
                "q\(random.next())", magnitude: Double(random.next() % 5), in: region)
            for object in [region, quake] { try context.assign(object, to: store) }
        case 2:
            if let quake = quakes.randomElement(using: &random) { context.delete(quake) }
        case 3:
            quakes.randomElement(using: &random)?.region?.name =
                "r\(Int.random(in: 0..<4, using: &random))"
        default:
            quakes.randomElement(using: &random)?.magnitude = Double(random.next() % 5)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func aListOfWhatIsStoredChangesWithSavesOnly(kind: StoreKind) throws {
        let container = try kind.container()
        let context = container.makeContext()
        let quakes = (1...4).map { context.insertQuake("a\($0)", magnitude: Double($0)) }
        try context.save()
        var request = FetchRequest<Quake>().where { $0.magnitude > 1 }.sorted(by: \.magnitude)
        request.includesPendingChanges = false
        let probe = try ListProbe(
            FetchedResultsController(fetchRequest: request, managedObjectContext: context))
        quakes[0].magnitude = 9
        context.delete(quakes[3])
        _ = context.insertQuake("new", magnitude: 2.5)
        context.processPendingChanges()
        try probe.check("unsaved")
        #expect(probe.batchCount == 0)
        try container.saveElsewhere { other in
            try other.quake("a2")?.magnitude = 3.5
        }
        context.processPendingChanges()
        try probe.check("saved elsewhere")
        #expect(probe.batchCount == 1)
        try context.save()
        context.processPendingChanges()
        try probe.check("saved")
        #expect(probe.controller.fetchedObjects?.map(\.code) == ["new", "a3", "a2", "a1"])
        #expect(probe.batchCount == 2)
    }
}
