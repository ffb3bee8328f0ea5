import Duramen
import Testing

/// Conditions that name objects which get other IDs later: with their first save, or because they
/// become one with others.
@MainActor
@Suite struct ConditionIDTests {
    /// Ways to ask for the quakes of a region, which are one.
    struct Form: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let request: @MainActor @Sendable (Region, Quake) throws -> FetchRequest<Quake>

        init(
            _ name: String,
            _ request: @escaping @MainActor @Sendable (Region, Quake) throws -> FetchRequest<Quake>
        ) {
            testDescription = name
            self.request = request
        }

        static func text(
            _ format: String,
            _ arguments: @escaping @MainActor @Sendable (Region, Quake) -> [any PredicateArgument]
        ) -> Form {
            Form(format) { region, quake in
                FetchRequest<Quake>().where(
                    try FetchPredicate(format: format, arguments: arguments(region, quake)))
            }
        }

        static let all = [
            Form("typed ==") { region, _ in FetchRequest<Quake>().where { $0.region == region } },
            Form("typed == of an ID") { region, _ in
                let id = region.objectID
                return FetchRequest<Quake>().where { $0.region == id }
            },
            .text("region == %@") { region, _ in [region.objectID] },
            .text("region IN %@") { region, _ in [[region.objectID]] },
            .text("NOT region != %@") { region, _ in [region.objectID] },
            .text("SELF == %@") { _, quake in [quake.objectID] },
            .text("SELF IN %@") { _, quake in [[quake.objectID]] },
            .text("ANY region.quakes == %@") { _, quake in [quake.objectID] },
            .text("region.quakes CONTAINS %@") { _, quake in [quake.objectID] },
            .text("SUBQUERY(region.quakes, $q, $q == %@).@count == 1") { _, quake in
                [quake.objectID]
            },
        ]
    }

    /// What gives the objects other IDs.
    enum Occasion: String, CaseIterable, Sendable {
        case save, obtainPermanentIDs, performFetch, savingToParent
    }

    struct Case: Sendable, CustomTestStringConvertible {
        let kind: StoreKind
        let occasion: Occasion

        var testDescription: String { "\(kind), \(occasion)" }

        static let all = StoreKind.allCases.flatMap { kind in
            Occasion.allCases.map { Case(kind: kind, occasion: $0) }
        }
    }

    @Test(arguments: Case.all)
    func aConditionFollowsTheObjectsThatItNames(arguments: Case) throws {
        for form in Form.all {
            let container = try arguments.kind.container()
            let parent = container.viewContext
            let context =
                arguments.occasion == .savingToParent
                ? ManagedObjectContext(parent: parent) : parent
            let region = context.insertRegion("r")
            let quake = context.insertQuake("q", in: region)
            context.insertQuake("other", in: context.insertRegion("s")).depth = 1
            let request = try form.request(region, quake).sorted(by: \.code)
            let name = Comment(rawValue: "\(form.testDescription), \(arguments.testDescription)")
            #expect(try codes(request, in: context) == ["q"], name)
            let early = try ListProbe(
                FetchedResultsController(fetchRequest: request, managedObjectContext: context))
            switch arguments.occasion {
            case .save: try context.save()
            case .obtainPermanentIDs: try context.obtainPermanentIDs(for: [quake, region])
            case .performFetch: break
            case .savingToParent:
                try context.save()
                try parent.save()
            }
            #expect(try codes(request, in: context) == ["q"], name)
            #expect(try context.count(for: request) == 1, name)
            #expect(try context.fetchObjectIDs(request) == [quake.objectID], name)
            let late = try ListProbe(
                FetchedResultsController(fetchRequest: request, managedObjectContext: context))
            let child = ManagedObjectContext(parent: context)
            #expect(try codes(request, in: child) == ["q"], name)
            let grandchild = ManagedObjectContext(parent: child)
            #expect(try grandchild.count(for: request) == 1, name)
            // Lists go on following.
            quake.depth = 7
            _ = context.insertQuake("further", in: region)
            context.processPendingChanges()
            for list in [early, late] {
                let found = list.controller.fetchedObjects?.map(\.code)
                #expect(found == (try codes(request, in: context)), name)
            }
            if arguments.occasion == .savingToParent { continue }
            try context.save()
            try batches(request, in: context, name)
        }
    }

    private func codes(
        _ request: FetchRequest<Quake>, in context: ManagedObjectContext
    ) throws -> [String] {
        try context.fetch(request).map(\.code)
    }

    private func batches(
        _ request: FetchRequest<Quake>, in context: ManagedObjectContext, _ name: Comment
    ) throws {
        let count = try context.count(for: request)
        let found = try context.fetchDictionaries(
            DictionaryFetchRequest(request, [ResultColumn("code", .keyPath(["code"]))]))
        #expect(found.count == count, name)
        var update = BatchUpdateRequest<Quake>().set(\.magnitude, to: 8)
        update.predicate = request.predicate
        #expect(try context.execute(update).count == count, name)
        #expect(try context.execute(BatchDeleteRequest(request)).count == count, name)
        #expect(try context.count(for: request) == 0, name)
    }

    @Test(arguments: StoreKind.allCases)
    func idsInBatchesAreCurrent(kind: StoreKind) throws {
        let context = try kind.container().viewContext
        let region = context.insertRegion("r")
        let quake = context.insertQuake("q")
        let (regionID, quakeID) = (region.objectID, quake.objectID)
        try context.save()
        #expect(regionID.isTemporaryID && quakeID.isTemporaryID)
        let insert = BatchInsertRequest(
            Quake.self, objects: [["code": "a", "region": regionID], ["code": "b"]])
        #expect(try context.execute(insert).count == 2)
        let update = BatchUpdateRequest<Quake>().where { $0.code == "b" }
            .set(\.region, to: regionID)
        #expect(try context.execute(update).count == 1)
        #expect(Set(region.quakes.map(\.code)) == ["a", "b"])
        #expect(try context.execute(BatchDeleteRequest(objectIDs: [quakeID])).count == 1)
        #expect(try context.quake("q") == nil)
    }

    @Test(arguments: StoreKind.allCases)
    func aConditionFollowsAnObjectThatBecomesAnotherOne(kind: StoreKind) throws {
        let container = try kind.container()
        let context = container.viewContext
        context.mergePolicy = .mergeByPropertyObjectTrump
        let request = FetchRequest<Quake>().sorted(by: \.code)
        let new = context.insertQuake("same", magnitude: 2)
        func asked() throws -> FetchRequest<Quake> {
            request.where(try FetchPredicate(format: "SELF == %@", arguments: [new.objectID]))
        }
        let byID = try asked()
        let list = FetchedResultsController(fetchRequest: byID, managedObjectContext: context)
        let follower = Follower()
        list.delegate = follower
        try list.performFetch()
        let permanent = try asked()
        #expect(list.fetchedObjects?.map(\.code) == ["same"])
        try container.saveElsewhere { _ = $0.insertQuake("same", magnitude: 1) }
        try context.save()
        #expect(context.replacedObjectIDs.count == 1)
        for asked in [byID, permanent] {
            #expect(try context.fetch(asked).map(\.magnitude) == [2])
            #expect(try context.count(for: asked) == 1)
            #expect(try ManagedObjectContext(parent: context).count(for: asked) == 1)
        }
        context.processPendingChanges()
        #expect(list.fetchedObjects?.map(\.code) == ["same"])
        #expect(follower.batchCount > 0)
        #expect(try context.execute(BatchDeleteRequest(byID)).count == 1)
    }
}

/// Has a list follow what happens.
private final class Follower: FetchedResultsControllerDelegate {
    private(set) var batchCount = 0

    func controllerDidChangeContent(_ controller: FetchedResultsController<Quake>) {
        batchCount += 1
    }
}
