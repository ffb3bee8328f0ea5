import DuramenTestKit
import StoreTestSupport
import Testing

@testable import Duramen

/// Fetches beside many unsaved changes.
@MainActor
@Suite struct ChangedObjectsTests {
    @Test(
        "Find-or-create looks at no more objects when there are more", arguments: StoreKind.allCases
    )
    func findOrCreate(kind: StoreKind) throws {
        let container = try kind.container()
        let context = container.makeContext()
        for number in 0..<3_000 {
            let code = "q\(number % 2_000)"
            let found = try context.fetch(FetchRequest<Quake>().where { $0.code == code })
            #expect(found.count == (number < 2_000 ? 0 : 1))
            let quake = found.first ?? context.insertQuake(code, magnitude: 0)
            quake.magnitude += 1
        }
        #expect(try #require(context.main.tracker.index).visitCount < 15_000)
        try context.save()
        #expect(context.main.tracker.index?.objects.isEmpty == true)
        #expect(try context.count(for: FetchRequest<Quake>()) == 2_000)
    }

    @Test("A page beside many changes reads no more than a page", arguments: StoreKind.allCases)
    func page(kind: StoreKind) throws {
        let container = try kind.container()
        try container.saveElsewhere { context in
            for number in 0..<2_000 { _ = context.insertQuake("q\(number)", magnitude: 1) }
        }
        let context = container.makeContext()
        let quakes = try context.fetch(FetchRequest<Quake>().sorted(by: \.code))
        for quake in quakes.suffix(1_500) { quake.magnitude = 2 }
        let before = container.store.counters.rowsDecoded
        let page = try context.fetch(FetchRequest<Quake>().sorted(by: \.code).limit(50))
        #expect(page == Array(quakes.prefix(50)))
        #expect(container.store.counters.rowsDecoded - before < 500)
        // As many as there are drop out.
        let last = try context.fetch(
            FetchRequest<Quake>().sorted(by: \.code, .descending).limit(50))
        #expect(last == Array(quakes.reversed().prefix(50)))
    }

    /// Random edits by every way, saves, rollbacks, undo and merges between fetches by value.
    @Test(arguments: StoreKind.allCases)
    func whatIsFoundByValueIsWhatAWalkFinds(kind: StoreKind) throws {
        let seed = randomSeed()
        var random = SplitMix64(seed: seed)
        let container = try kind.container()
        let context = container.viewContext
        context.undoManager = Bool.random(using: &random) ? ContextUndoManager() : nil
        let outsider = container.makeContext()
        var quakes: [Quake] = []
        func code() -> String { "c\(Int.random(in: 0..<400, using: &random))" }
        for number in 0..<200 { quakes.append(context.insertQuake("n\(number)", magnitude: 0)) }
        for step in 0..<repetitions(rounds(1_500)) {
            let quake = quakes.randomElement(using: &random)
            let isThere =
                quake.map {
                    !$0.isDeleted && context.registeredObject(for: $0.objectID) === $0
                } ?? false
            switch Int.random(in: 0..<40, using: &random) {
            case 0...5: quakes.append(context.insertQuake(code(), magnitude: 1))
            case 6...15: if isThere { quake?.code = code() }
            case 16...18: if isThere { try quake?.setValue(code(), forKey: "code") }
            case 19, 20:
                if let quake, isThere, quake.hasChanges {
                    try quake.setPrimitiveValue(code(), forKey: "code")
                }
            case 21...23: if let quake, isThere { context.delete(quake) }
            case 24: try context.undo()
            case 25: try context.redo()
            case 26: if let quake, isThere { try context.refresh(quake, mergeChanges: true) }
            case 27: if Int.random(in: 0..<4, using: &random) == 0 { context.rollback() }
            case 28: do { try context.save() } catch { context.rollback() }
            case 29, 30:
                outsider.processPendingChanges()
                for other in try outsider.fetch(FetchRequest<Quake>().limit(3)) {
                    other.code = code()
                }
                do { try outsider.save() } catch { outsider.rollback() }
                context.processPendingChanges()
            default: context.processPendingChanges()
            }
            let wanted = quake.flatMap { $0.isGone ? nil : $0.code } ?? code()
            let found = try context.fetch(FetchRequest<Quake>().where { $0.code == wanted })
            let all = try context.fetch(FetchRequest<Quake>().where { $0.code != "" })
                .filter { $0.code == wanted }
            try #require(
                found == all, "DURAMEN_SEED=\(seed) \(kind), step \(step), \(wanted)")
        }
    }
}
