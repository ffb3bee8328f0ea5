import Duramen
import DuramenTestKit
import Foundation
import StoreTestSupport
import Testing

/// Owners of all kinds at once over one store: what the sanitizers are to see.
@Suite struct OwnerStressTests {
    private static let quakeCount = 20

    /// An actor with a context, a child of it and a list.
    private actor Keeper {
        private let context: ManagedObjectContext
        private let number: Int
        private var list: FetchedResults<Quake>?
        private var random: SplitMix64

        init(_ container: PersistentContainer, _ number: Int, seed: UInt64) {
            context = container.makeContext(
                ContextOptions(name: "keeper \(number)", mergePolicy: .mergeByPropertyObjectTrump))
            self.number = number
            random = SplitMix64(seed: seed &+ UInt64(number))
            context.attach(to: self)
        }

        func step(_ container: PersistentContainer) async throws {
            if list == nil {
                list = try FetchedResults(
                    FetchRequest<Quake>().sorted(by: \.magnitude), in: context)
            }
            let code = "us\(Int.random(in: 0..<OwnerStressTests.quakeCount, using: &random))"
            let magnitude = Double.random(in: 0..<9, using: &random)
            switch Int.random(in: 0..<6, using: &random) {
            case 0:
                try context.quake(code)?.magnitude = magnitude
                try context.save()
            case 1:
                try context.quake(code)?.magnitude = magnitude
                try await context.saveOffOwner()
            case 2:
                let child = ManagedObjectContext(parent: context)
                try child.quake(code)?.magnitude = magnitude
                try child.save()
                try context.save()
            case 3:
                let strong = try await context.fetchOffOwner(
                    FetchRequest<Quake>().where { $0.magnitude > magnitude })
                try #require(strong.count <= OwnerStressTests.quakeCount)
            case 4:
                try await container.performBackgroundTask { other in
                    _ = try other.execute(
                        BatchUpdateRequest<Quake>().where { $0.code == code }
                            .set(\.magnitude, to: magnitude))
                }
                // The awaited batch is seen, unless somebody wrote since.
                _ = try context.quake(code)?.magnitude
            default:
                try await container.performBackgroundTask { other in
                    other.mergePolicy = .mergeByPropertyObjectTrump
                    try other.quake(code)?.depth = magnitude
                    try other.save()
                }
            }
            let listed = list?.objects?.map(\.magnitude) ?? []
            try #require(listed.count == OwnerStressTests.quakeCount)
        }
    }

    @Test(
        "Actors, children, lists and work off the owner go together", arguments: StoreKind.allCases)
    @MainActor func everything(kind: StoreKind) async throws {
        let seed = randomSeed()
        let container = try kind.container()
        try container.saveElsewhere { context in
            for number in 0..<Self.quakeCount { _ = context.insertQuake("us\(number)") }
        }
        let list = try FetchedResults(
            FetchRequest<Quake>().sorted(by: \.code), in: container.viewContext)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<4 {
                group.addTask {
                    let keeper = Keeper(container, number, seed: seed)
                    for _ in 0..<40 { try await keeper.step(container) }
                }
            }
            for _ in 0..<40 {
                try await container.performBackgroundTask { context in
                    context.mergePolicy = .mergeByPropertyObjectTrump
                    for quake in try context.fetch(FetchRequest<Quake>()) { quake.magnitude += 1 }
                    try context.save()
                }
                try #require(list.objects?.count == Self.quakeCount)
            }
            try await group.waitForAll()
        }
        // All of them have ended what they began.
        container.viewContext.processPendingChanges()
        let shown = try container.viewContext.fetch(FetchRequest<Quake>().sorted(by: \.code))
        let stored = try container.makeContext().fetch(FetchRequest<Quake>().sorted(by: \.code))
        #expect(shown.map(\.magnitude) == stored.map(\.magnitude), "seed \(seed)")
        #expect(list.objects?.map(\.magnitude) == stored.map(\.magnitude), "seed \(seed)")
    }
}
