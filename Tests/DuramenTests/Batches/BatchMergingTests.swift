import Duramen
import DuramenTestKit
import StoreTestSupport
import Testing

/// What contexts and lists have after a batch, without a line of the application.
@MainActor
@Suite(.serialized)
struct BatchMergingTests {
    private func filled(_ kind: StoreKind, _ count: Int) throws -> PersistentContainer {
        let container = try kind.container()
        let context = container.viewContext
        for number in 0..<count {
            _ = context.insertQuake("q\(1_000_000 + number)", magnitude: Double(number))
        }
        try context.save()
        return container
    }

    private func controller(
        _ context: ManagedObjectContext
    ) -> FetchedResultsController<Quake> {
        FetchedResultsController(
            fetchRequest: FetchRequest<Quake>().where { $0.magnitude >= 5 }.sorted(by: \.code),
            managedObjectContext: context)
    }

    /// Of few objects the batch says what happened, of many that anything may have.
    @Test(arguments: StoreKind.allCases, [20, 1_010])
    func objectsToManysAndListsFollow(kind: StoreKind, count: Int) throws {
        let container = try filled(kind, count)
        let context = container.viewContext
        let region = context.insertRegion("r")
        try context.save()
        let probe = try ListProbe(controller(context))
        let quakes = try context.fetch(FetchRequest<Quake>().sorted(by: \.magnitude))
        #expect(region.quakes.isEmpty)
        let child = ManagedObjectContext(parent: context)
        let ofChild = try child.existingObject(with: quakes[6].objectID, as: Quake.self)
        let background = container.makeContext()

        try background.execute(
            BatchUpdateRequest<Quake>().set(\.region, to: region.objectID).set(
                \.magnitude, to: { $0.magnitude + 1 }))
        context.processPendingChanges()
        #expect(quakes[4].magnitude == 5 && quakes[4].region === region)
        #expect(region.quakes.count == count)
        child.processPendingChanges()
        #expect(ofChild.magnitude == 7)
        if count < 100 { try probe.check("updated") }
        #expect(probe.controller.fetchedObjects?.count == count - 4)

        var number = 0
        try background.execute(
            BatchInsertRequest(Quake.self) { row in
                number += 1
                row[\.code] = "n\(number)"
                row[\.magnitude] = 100
                return number > count
            })
        context.processPendingChanges()
        if count < 100 { try probe.check("inserted") }
        #expect(probe.controller.fetchedObjects?.count == count * 2 - 4)

        try background.execute(
            BatchDeleteRequest(FetchRequest<Quake>().where { $0.magnitude != 7 }))
        context.processPendingChanges()
        try probe.check("deleted")
        #expect(probe.controller.fetchedObjects?.map(\.magnitude) == [7])
        #expect(region.quakes.count == 1 && !quakes[6].isDeleted)
        // Those that are held know that they are gone, although nobody said which went.
        #expect(quakes.filter(\.isDeleted).count == count - 1)
        #expect(try context.count(for: FetchRequest<Quake>()) == 1)
        child.processPendingChanges()
        #expect(ofChild.magnitude == 7)
        #expect(probe.batchCount == 3)
    }

    @Test(arguments: StoreKind.allCases)
    func unsavedChangesStayAndConflict(kind: StoreKind) throws {
        let container = try filled(kind, 10)
        let context = container.viewContext
        let quakes = try context.fetch(FetchRequest<Quake>().sorted(by: \.magnitude))
        quakes[1].depth = 11
        quakes[2].magnitude = 22
        try context.execute(
            BatchUpdateRequest<Quake>().set(\.magnitude, to: { $0.magnitude + 0.5 }))
        // Another property of one, the same of the other.
        #expect(quakes[0].magnitude == 0.5)
        #expect(quakes[1].magnitude == 1.5 && quakes[1].depth == 11)
        #expect(quakes[2].magnitude == 22)
        #expect(throws: SaveConflictError.self) { try context.save() }
        context.mergePolicy = .mergeByPropertyObjectTrump
        try context.save()
        #expect(quakes[2].magnitude == 22 && quakes[1].magnitude == 1.5)
    }

    @Test(arguments: StoreKind.allCases)
    func pinnedContextsDoNotMove(kind: StoreKind) throws {
        let container = try filled(kind, 3)
        let pinned = container.makeContext(
            ContextOptions(automaticallyMergesChangesFromParent: false))
        try pinned.setQueryGeneration(from: .current)
        let count = try pinned.count(for: FetchRequest<Quake>())
        try container.viewContext.execute(BatchDeleteRequest(FetchRequest<Quake>()))
        #expect(try pinned.count(for: FetchRequest<Quake>()) == count && count == 3)
        try pinned.setQueryGeneration(from: .current)
        #expect(try pinned.count(for: FetchRequest<Quake>()) == 0)
    }

    @Test(arguments: StoreKind.allCases)
    func aContextThatMergesByHandIsGivenTheIDs(kind: StoreKind) throws {
        let container = try filled(kind, 5)
        let reader = container.makeContext(
            ContextOptions(automaticallyMergesChangesFromParent: false))
        let quakes = try reader.fetch(FetchRequest<Quake>().sorted(by: \.magnitude))
        var request = BatchUpdateRequest<Quake>().set(\.magnitude, to: 9)
        request.resultType = .objectIDs
        let result = try container.viewContext.execute(request)
        reader.processPendingChanges()
        #expect(quakes[0].magnitude == 0)
        reader.mergeChanges(fromContextDidSave: result.changedObjectIDs)
        #expect(quakes.allSatisfy { $0.magnitude == 9 })
    }

    @Test(arguments: StoreKind.allCases)
    func aFailureOfTheStoreLeavesNothingBehind(kind: StoreKind) throws {
        let plan = FaultPlan()
        let container = try kind.container(plan: plan)
        let context = container.viewContext
        for number in 0..<1_500 { _ = context.insertQuake("q\(number)", magnitude: 1) }
        try context.save()
        for call in [StoreCall.batchPart, .save, .next, .cursor, .snapshot] {
            for number in 1...3 {
                plan.fail(call, at: number, with: .io)
                let code = storeErrorCode {
                    try context.execute(BatchUpdateRequest<Quake>().set(\.magnitude, to: 2))
                }
                let hasFailed = plan.clear() == 0
                // The snapshot that contexts are told of may fail without harm.
                if call != .snapshot { #expect((code == .io) == hasFailed, "\(call) \(number)") }
                if number == 1, call != .snapshot { #expect(hasFailed, "\(call)") }
                let magnitudes = Set(try context.fetch(FetchRequest<Quake>()).map(\.magnitude))
                #expect(magnitudes.count == 1, "\(call) \(number)")
                try context.execute(BatchUpdateRequest<Quake>().set(\.magnitude, to: 1))
            }
        }
    }
}
