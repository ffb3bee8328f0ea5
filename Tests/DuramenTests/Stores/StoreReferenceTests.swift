import Duramen
import Testing

/// Relationships between objects of two stores, which live in a context only.
@Suite struct StoreReferenceTests {
    private func failure(_ context: ManagedObjectContext) throws -> ValidationError.Failure {
        let error = try #require(throws: ValidationError.self) { try context.save() }
        #expect(error.failures.count == 1)
        return try #require(error.failures.first)
    }

    @Test(
        "A to-one to another store works until the save, which names it and writes nothing",
        arguments: TwoStores.Kinds.all, [true, false])
    func toOne(kinds: TwoStores.Kinds, fromTheOtherSide: Bool) throws {
        let stores = try TwoStores(kinds).filled()
        let before = try stores.stored()
        let context = stores.container.makeContext()
        let quake = try #require(try context.quake("a"))
        let honshu = try #require(quake.region)
        let chile = try #require(try context.quake("b")?.region)
        try #require(try context.quake("d")).magnitude = 9
        if fromTheOtherSide { chile.quakes.insert(quake) } else { quake.region = chile }
        #expect(quake.region === chile && chile.quakes.contains(quake))
        #expect(chile.quakes.objectIDs.contains(quake.objectID) && chile.quakes.count == 3)
        #expect(honshu.quakes.map(\.code) == ["c"])
        let failure = try failure(context)
        #expect(failure.code == .relationshipAcrossStores && failure.code.rawValue == 133_010)
        #expect(failure.objectID == quake.objectID && failure.property == "region")
        #expect(quake.region === chile && context.hasChanges)
        #expect(try stores.stored() == before)
        quake.region = honshu
        #expect(!chile.quakes.contains(quake) && honshu.quakes.count == 2)
        try context.save()
        #expect(try stores.stored() == before[..<3] + ["d 9.0 Chile"])
    }

    @Test("A rollback takes references to other stores back")
    func rollback() throws {
        let stores = try TwoStores(.all[1]).filled()
        let context = stores.container.makeContext()
        let quake = try #require(try context.quake("a"))
        let chile = try #require(try context.quake("b")?.region)
        quake.region = chile
        _ = try context.fetch(FetchRequest<Quake>())
        context.rollback()
        #expect(quake.region?.name == "Honshu" && chile.quakes.map(\.code) == ["b", "d"])
        try context.save()
    }

    @Test("New objects of two stores may be related, and become savable in one")
    func newObjects() throws {
        let stores = try TwoStores(.all[1])
        let context = stores.container.makeContext()
        let region = context.insertRegion("Honshu")
        let quake = context.insertQuake("a", in: region)
        let tag = context.insertTag("felt")
        quake.tags.insert(tag)
        try context.assign(quake, to: stores.second)
        #expect(quake.region === region && region.quakes.contains(quake))
        let error = try #require(throws: ValidationError.self) { try context.save() }
        #expect(Set(error.failures.map(\.property)) == ["region", "tags"])
        try context.obtainPermanentIDs(for: [region])
        #expect(quake.region === region && region.quakes.contains(quake))
        #expect(region.quakes.objectIDs == [quake.objectID])
        #expect(throws: ContextError.self) { try context.assign(region, to: stores.second) }
        quake.region = nil
        let other = context.insertRegion("Chile")
        try context.assign(other, to: stores.second)
        quake.region = other
        try context.assign(tag, to: stores.second)
        try context.save()
        let reader = stores.container.makeContext()
        let read = try #require(try reader.quake("a"))
        #expect(read.region?.name == "Chile" && read.tags.map(\.name) == ["felt"])
    }

    @Test("An object that is assigned after it was related to a saved one leads there still")
    func assigningKeepsReferences() throws {
        let stores = try TwoStores(.all[1]).filled()
        let context = stores.container.makeContext()
        let honshu = try #require(try context.quake("a")?.region)
        let quake = context.insertQuake("e", in: honshu)
        try context.assign(quake, to: stores.second)
        #expect(quake.region === honshu && honshu.quakes.contains(quake))
        #expect(try failure(context).objectID == quake.objectID)
        try context.assign(quake, to: stores.first)
        #expect(quake.region === honshu)
        try context.save()
        #expect(try stores.stored(in: [stores.first])[2] == "e 1.0 Honshu")
    }

    @Test("A many-to-many pair of two stores is refused until it is taken out, from either side")
    func manyToMany() throws {
        let stores = try TwoStores(.all[0])
        let context = stores.container.makeContext()
        let quake = context.insertQuake("a")
        let tag = context.insertTag("felt")
        try context.assign(tag, to: stores.second)
        try context.save()
        for takenOutHere in [true, false] {
            tag.quakes.insert(quake)
            #expect(quake.tags.contains(tag) && quake.tags.count == 1)
            #expect(try failure(context).code == .relationshipAcrossStores)
            if takenOutHere { tag.quakes.remove(quake) } else { quake.tags.remove(tag) }
            try context.save()
            #expect(quake.tags.isEmpty && tag.quakes.isEmpty)
        }
    }

    @Test("One-to-one partners of two stores know each other until the save")
    func oneToOne() throws {
        let stores = try TwoStores(.all[1])
        let context = stores.container.makeContext()
        let stations = ["x", "y"].map { name in
            let station = Station(context: context)
            station.callSign = name
            return station
        }
        let region = context.insertRegion("Honshu")
        let other = context.insertRegion("Chile")
        for object in [stations[1], other] { try context.assign(object, to: stores.second) }
        stations[0].region = region
        stations[1].region = other
        try context.save()
        stations[0].backup = stations[1]
        #expect(stations[1].backupOf === stations[0])
        let error = try #require(throws: ValidationError.self) { try context.save() }
        #expect(Set(error.failures.map(\.property)) == ["backup", "backupOf"])
        stations[1].backupOf = nil
        #expect(stations[0].backup == nil)
        try context.save()
    }

    @Test("A predicate sees no reference to another store")
    func predicates() throws {
        let stores = try TwoStores(.all[1]).filled()
        let context = stores.container.makeContext()
        let quake = try #require(try context.quake("a"))
        quake.region = try #require(try context.quake("b")?.region)
        let chilean = FetchRequest<Quake>().where { $0.region.name == "Chile" }
        #expect(try context.fetch(chilean.sorted(by: \.code)).codes == "bd")
        // The regions of both stores have the same key.
        let chile = try #require(quake.region)
        let inChile = FetchRequest<Quake>().where { $0.region == chile }.sorted(by: \.code)
        #expect(try context.fetch(inChile).codes == "bd")
        let busy = FetchRequest<Region>().where { $0.quakes.count > 1 }.sorted(by: \.name)
        #expect(try context.fetch(busy).map(\.name) == ["Chile"])
    }

    @Test("Deleting cascades into another store before the save is asked")
    func cascade() throws {
        let stores = try TwoStores(.all[1]).filled()
        let context = stores.container.makeContext()
        let quake = try #require(try context.quake("a"))
        let chile = try #require(try context.quake("b")?.region)
        quake.region = chile
        context.delete(chile)
        context.processPendingChanges()
        #expect(quake.isDeleted)
        try context.save()
        #expect(try stores.stored() == ["c 3.0 Honshu"])
    }
}
