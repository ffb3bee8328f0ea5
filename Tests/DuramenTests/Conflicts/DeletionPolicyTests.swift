import Testing

@testable import Duramen

/// What policies make of deletions, their rules, and references to what is gone.
@Suite struct DeletionPolicyTests {
    private static let objectWins: [MergePolicy] = [.mergeByPropertyObjectTrump, .fill, .overwrite]
    private static let storeWins: [MergePolicy] = [.mergeByPropertyStoreTrump, .rollback]

    private func counts(_ container: PersistentContainer) throws -> [Int] {
        let context = container.makeContext()
        return [
            try context.count(for: FetchRequest<Region>()),
            try context.count(for: FetchRequest<Quake>()),
            try context.count(for: FetchRequest<Tag>()),
        ]
    }

    @Test(
        "A deletion that is dropped brings back what went with it, and nothing else",
        arguments: StoreKind.allCases)
    func droppedDeletions(kind: StoreKind) throws {
        for policy in Self.storeWins {
            let container = try kind.container()
            let context = container.makeContext(ContextOptions(mergePolicy: policy))
            let (region, tag) = (context.insertRegion("base"), context.insertTag("felt"))
            let quakes = ["a", "b", "c"].map { context.insertQuake($0, in: region) }
            for quake in quakes { quake.tags.insert(tag) }
            try context.save()
            try container.saveElsewhere { other in
                try #require(try other.fetch(FetchRequest<Region>()).first).name = "stored"
            }
            context.delete(quakes[0])
            context.delete(region)
            #expect(try context.count(for: FetchRequest<Quake>()) == 0)
            try context.save()
            #expect(try counts(container) == [1, 2, 1])
            #expect(!region.isDeleted && region.name == "stored" && !context.hasChanges)
            #expect(Set(region.quakes) == Set(quakes[1...]) && Set(tag.quakes) == Set(quakes[1...]))
            #expect(quakes[1].region === region && Array(quakes[1].tags) == [tag])
            let fresh = container.makeContext()
            let found = try fresh.existingObject(with: region.objectID, as: Region.self)
            #expect(found.quakes.map(\.code).sorted() == ["b", "c"])
            #expect(found.quakes.allSatisfy { $0.tags.count == 1 })
        }
    }

    @Test(
        "What both sides deleted, and a third inserts again, has its pairs",
        arguments: StoreKind.allCases)
    func deletionsOnBothSides(kind: StoreKind) throws {
        let container = try kind.container()
        let contexts = ["mine", "deleting", "returning"].map {
            container.makeContext(
                ContextOptions(name: $0, mergePolicy: .mergeByPropertyObjectTrump))
        }
        let quake = contexts[0].insertQuake("a")
        let tag = contexts[0].insertTag("felt")
        quake.tags.insert(tag)
        try contexts[0].save()
        let theirs = try contexts.dropFirst().map {
            try $0.existingObject(with: tag.objectID, as: Tag.self)
        }
        #expect(theirs[1].quakes.count == 1)
        contexts[0].delete(tag)
        contexts[0].processPendingChanges()
        contexts[1].delete(theirs[0])
        try contexts[1].save()
        try contexts[0].save()
        #expect(quake.tags.isEmpty && !contexts[0].hasChanges)
        theirs[1].name = "felt again"
        theirs[1].quakes.insert(
            try contexts[2].existingObject(with: quake.objectID, as: Quake.self))
        try contexts[2].save()
        contexts[0].processPendingChanges()
        #expect(quake.tags.map(\.name) == ["felt again"])
    }

    @Test("A deletion that wins reaches what others added meanwhile", arguments: StoreKind.allCases)
    func deletionsThatWin(kind: StoreKind) throws {
        for policy in Self.objectWins + Self.storeWins {
            let container = try kind.container()
            let context = container.makeContext(ContextOptions(mergePolicy: policy))
            let region = context.insertRegion("base")
            _ = context.insertQuake("a", in: region)
            try context.save()
            #expect(region.quakes.count == 1)
            context.delete(region)
            try container.saveElsewhere { other in
                _ = other.insertQuake("b", in: try other.fetch(FetchRequest<Region>()).first)
            }
            try context.save()
            #expect(try counts(container) == (Self.wins(policy) ? [0, 0, 0] : [1, 2, 0]))
            #expect(!context.hasChanges && !region.isDeleted)
        }
    }

    @Test(
        "What stays of a deleted owner leads to nothing there", arguments: StoreKind.allCases)
    func survivorsOfDeletedOwners(kind: StoreKind) throws {
        for policy in Self.storeWins {
            let container = try kind.container()
            let context = container.makeContext(ContextOptions(mergePolicy: policy))
            let (region, tag) = (context.insertRegion("base"), context.insertTag("felt"))
            let quakes = ["a", "b"].map { context.insertQuake($0, in: region) }
            for quake in quakes { quake.tags.insert(tag) }
            try context.save()
            try container.saveElsewhere { other in
                let quake = try #require(try other.quake("a"))
                quake.magnitude = 9
            }
            context.delete(tag)
            context.delete(region)
            try context.save()
            #expect(try counts(container) == [0, 1, 0])
            #expect(!quakes[0].isDeleted && quakes[0].magnitude == 9 && !context.hasChanges)
            #expect(quakes[0].region == nil && quakes[0].tags.isEmpty)
            let fresh = container.makeContext()
            let stored = try #require(try fresh.fetch(FetchRequest<Quake>()).first)
            #expect(stored.region == nil && stored.tags.isEmpty && stored.magnitude == 9)
        }
    }

    private static func wins(_ policy: MergePolicy) -> Bool {
        !storeWins.map(\.description).contains(policy.description)
    }

    @Test(
        "References to what was deleted elsewhere bring it back, or follow its delete rules",
        arguments: StoreKind.allCases, [false, true])
    func references(kind: StoreKind, isMerged: Bool) throws {
        for policy in Self.objectWins + Self.storeWins {
            let container = try kind.container()
            let context = container.makeContext(ContextOptions(mergePolicy: policy))
            let (region, tag) = (context.insertRegion("North"), context.insertTag("felt"))
            let (first, second) = (context.insertQuake("a"), context.insertQuake("b"))
            try context.save()
            first.region = region
            second.tags.insert(tag)
            let ids = [region.objectID, tag.objectID]
            try container.saveElsewhere { other in
                for id in ids { other.delete(try other.existingObject(with: id)) }
            }
            if isMerged { context.processPendingChanges() }
            try context.save()
            #expect(!context.hasChanges)
            // The rule of a region's quakes is to cascade.
            #expect(try counts(container) == (Self.wins(policy) ? [1, 2, 1] : [0, 1, 0]))
            #expect(Array(second.tags) == (Self.wins(policy) ? [tag] : []))
            // What is merged later does not undo it.
            context.processPendingChanges()
            #expect(first.isGone == !Self.wins(policy))
            second.magnitude = 5
            if Self.wins(policy) {
                first.magnitude = 5
                #expect(first.region === region && !region.isDeleted)
                region.name = "South"
            }
            try context.save()
            #expect(try counts(container) == (Self.wins(policy) ? [1, 2, 1] : [0, 1, 0]))
        }
    }

    @Test(
        "The partners of what is inserted again refer back to it",
        arguments: StoreKind.allCases, [false, true])
    func partners(kind: StoreKind, isMerged: Bool) throws {
        for isTaken in [false, true] {
            let container = try kind.container()
            let context = container.makeContext(
                ContextOptions(mergePolicy: .mergeByPropertyObjectTrump))
            let stations = context.insertStations("a", "b", "c")
            stations[0].backup = stations[1]
            stations[2].backup = stations[0]
            try context.save()
            stations[0].callSign = "changed"
            let ids = stations.map(\.objectID)
            try container.saveElsewhere { other in
                let theirs = try ids.map { try other.existingObject(with: $0) as! Station }
                other.delete(theirs[0])
                if isTaken { theirs[2].backup = theirs[1] }
            }
            if isMerged { context.processPendingChanges() }
            try context.save()
            context.processPendingChanges()
            #expect(!context.hasChanges)
            let reader = container.makeContext()
            let stored = try ids.map { try reader.existingObject(with: $0) as! Station }
            for stations in [stations, stored] {
                let (a, b, c) = (stations[0], stations[1], stations[2])
                #expect(a.callSign == "changed")
                #expect(a.backup === b && b.backupOf === a && a.backupOf === c && c.backup === a)
            }
        }
    }

    @Test(
        "After saves that nobody knows, what is inserted again refers to nothing that is missing",
        arguments: StoreKind.allCases)
    func unknownDeletions(kind: StoreKind) throws {
        let container = try kind.container()
        try container.saveElsewhere { other in
            _ = other.insertQuake("a", in: other.insertRegion("North"))
        }
        let context = container.makeContext(ContextOptions(mergePolicy: .overwrite))
        let quake = try #require(try context.quake("a"))
        quake.magnitude = 5
        // Its quakes go too. The region is not in the context's memory.
        try container.saveElsewhere { other in
            try other.fetch(FetchRequest<Region>()).forEach(other.delete)
        }
        context.main.inbox.post(nil)
        context.processPendingChanges()
        try context.save()
        #expect(quake.region == nil && !context.hasChanges)
        #expect(try container.makeContext().quake("a")?.magnitude == 5)
        #expect(try container.verify().isEmpty)
    }

    @Test("References to what is not in memory are taken away when it was deleted elsewhere")
    func referencesToFaults() throws {
        for policy in Self.objectWins + Self.storeWins {
            let container = try StoreKind.memory.container()
            try container.saveElsewhere { other in
                _ = other.insertRegion("North")
                _ = other.insertQuake("a")
            }
            let context = container.makeContext(ContextOptions(mergePolicy: policy))
            let reader = container.makeContext()
            let ids = try reader.fetch(FetchRequest<Region>()).map(\.objectID)
            let quake = try #require(try context.quake("a"))
            quake.region = context.object(with: ids[0], as: Region.self)
            try container.saveElsewhere { $0.delete(try $0.existingObject(with: ids[0])) }
            try context.save()
            #expect(quake.region == nil && !context.hasChanges)
            #expect(try counts(container) == [0, 1, 0])
        }
    }

    @Test("A third context sees what was inserted again", arguments: StoreKind.allCases)
    func thirdContexts(kind: StoreKind) throws {
        let container = try kind.container()
        let context = container.makeContext(ContextOptions(mergePolicy: .overwrite))
        let quake = context.insertQuake("a", magnitude: 1)
        try context.save()
        let (early, late) = (container.makeContext(), container.makeContext())
        let (mine, other) = (try #require(try early.quake("a")), try #require(try late.quake("a")))
        quake.magnitude = 2
        try container.saveElsewhere { $0.delete(try #require(try $0.quake("a"))) }
        early.processPendingChanges()
        #expect(mine.isDeleted)
        try context.save()
        context.processPendingChanges()
        #expect(!quake.isDeleted)
        early.processPendingChanges()
        late.processPendingChanges()
        for (context, quake, magnitude) in [(early, mine, 2.0), (late, other, 3.0)] {
            #expect(!quake.isDeleted && quake.magnitude == magnitude)
            quake.magnitude += 1
            try context.save()
            late.processPendingChanges()
        }
        let fresh = container.makeContext()
        #expect(try fresh.quake("a")?.magnitude == 4)
    }

    @Test(
        "What was deleted and inserted again elsewhere can be referred to",
        arguments: [false, true])
    func referencesToWhatReturned(isMerged: Bool) throws {
        let container = try StoreKind.memory.container()
        let context = container.makeContext(ContextOptions(mergePolicy: .overwrite))
        let quake = context.insertQuake("a", magnitude: 1)
        try context.save()
        let waiting = container.makeContext()
        let tag = waiting.insertTag("felt")
        tag.quakes.insert(try #require(try waiting.quake("a")))
        quake.magnitude = 2
        try container.saveElsewhere { $0.delete(try #require(try $0.quake("a"))) }
        try context.save()
        if isMerged { waiting.processPendingChanges() }
        try waiting.save()
        waiting.processPendingChanges()
        #expect(tag.quakes.map(\.magnitude) == [2] && !waiting.hasChanges)
        // The own deletion is still to be merged where the object was inserted again.
        let other = context.insertTag("large")
        other.quakes.insert(quake)
        try context.save()
        #expect(Array(other.quakes) == [quake] && !quake.isDeleted)
    }

    @Test("An object that is to be inserted again can be rolled back")
    func insertedAgainAndRolledBack() throws {
        let container = try StoreKind.memory.container()
        let context = container.makeContext()
        let quake = context.insertQuake("a", magnitude: 1)
        try context.save()
        quake.magnitude = 2
        try container.saveElsewhere { $0.delete(try #require(try $0.quake("a"))) }
        let error = try #require(throws: SaveConflictError.self) { try context.save() }
        try context.resolve(error, using: .overwrite)
        #expect(quake.isInserted)
        context.rollback()
        #expect(!context.hasChanges)
        try context.save()
        #expect(try counts(container) == [0, 0, 0])
    }

    @Test("What a rule denies stays a conflict")
    func deniedDeletions() throws {
        let container = try StoreKind.memory.container()
        let context = container.makeContext(
            ContextOptions(mergePolicy: .mergeByPropertyStoreTrump))
        let region = context.insertRegion("North")
        try context.save()
        let station = Station(context: context)
        (station.callSign, station.region) = ("a", region)
        try container.saveElsewhere { other in
            for region in try other.fetch(FetchRequest<Region>()) { other.delete(region) }
        }
        #expect(throws: SaveConflictError.self) { try context.save() }
        #expect(station.isInserted && station.callSign == "a")
        context.mergePolicy = .mergeByPropertyObjectTrump
        try context.save()
        #expect(try counts(container) == [1, 0, 0])
    }
}
