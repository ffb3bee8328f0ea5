import Duramen
import Testing

/// Saves that leave some changes out.
@Suite struct SaveExcludingTests {
    private func codes(_ container: PersistentContainer) throws -> [String] {
        let context = container.makeContext()
        return try context.fetch(FetchRequest<Quake>().sorted(by: \.code)).map {
            "\($0.code) \($0.magnitude) \($0.region?.name ?? "-")"
        }
    }

    @Test(
        "The offenders of a conflict stay out, and the rest is saved", arguments: StoreKind.allCases
    )
    func offendersStayOut(kind: StoreKind) throws {
        let container = try kind.container()
        let context = container.makeContext()
        let region = context.insertRegion("R")
        let quakes = ["a", "b", "c"].map { context.insertQuake($0, magnitude: 1) }
        try context.save()
        try container.saveElsewhere { other in
            for code in ["a", "c"] { try #require(try other.quake(code)).magnitude = 2 }
            _ = other.insertQuake("d", magnitude: 2)
        }
        for quake in quakes { (quake.magnitude, quake.region) = (5, region) }
        context.delete(quakes[2])
        let twin = context.insertQuake("d", magnitude: 5, in: region)
        let good = context.insertQuake("e", magnitude: 5, in: region)
        let error = try #require(throws: SaveConflictError.self) { try context.save() }
        let left = try context.save(excluding: error)
        #expect(left == [quakes[0], quakes[2], twin])
        #expect(
            try codes(container) == ["a 2.0 -", "b 5.0 R", "c 2.0 -", "d 2.0 -", "e 5.0 R"])
        #expect(context.updatedObjects == [quakes[0]] && context.insertedObjects == [twin])
        #expect(context.deletedObjects == [quakes[2]] && !good.hasChanges)
        #expect(Set(region.quakes) == [quakes[0], quakes[1], twin, good])
        context.mergePolicy = .mergeByPropertyObjectTrump
        try context.save()
        #expect(!context.hasChanges)
        #expect(try codes(container) == ["a 5.0 R", "b 5.0 R", "d 5.0 R", "e 5.0 R"])
        #expect(Set(region.quakes) == [quakes[0], quakes[1], twin, good])
    }

    @Test(
        "A deletion that stays out keeps out what its delete rules deleted, over relationships of any kind",
        arguments: StoreKind.allCases)
    func cascadesStayOut(kind: StoreKind) throws {
        let container = try kind.container(
            ManagedObjectModel([
                EntityDescription(
                    name: "Hub",
                    relationships: [
                        .toMany(
                            "nodes", destination: "Node", deleteRule: .cascade, inverse: "hub"),
                        .toMany(
                            "parts", destination: "Part", deleteRule: .cascade, inverse: "hubs"),
                    ]),
                EntityDescription(
                    name: "Node",
                    relationships: [
                        .toOne("hub", destination: "Hub", deleteRule: .cascade, inverse: "nodes")
                    ]),
                EntityDescription(
                    name: "Part",
                    relationships: [.toMany("hubs", destination: "Hub", inverse: "parts")]),
            ]))
        let context = container.makeContext()
        let hub = context.insert("Hub", [:])
        let nodes = (0..<2).map { _ in context.insert("Node", ["hub": hub]) }
        let part = context.insert("Part", ["hubs": [hub]])
        let free = context.insert("Part", [:])
        try context.save()
        context.delete(nodes[0])
        context.delete(free)
        context.processPendingChanges()
        #expect(context.deletedObjects == Set(nodes + [hub, part, free]))
        #expect(try context.save(excluding: [nodes[0]]) == Set(nodes + [hub, part]))
        let stored = try ["Hub", "Node", "Part"].map {
            try container.makeContext().count(for: FetchRequest<ManagedObject>(entityName: $0))
        }
        #expect(stored == [1, 2, 1])
        try context.save()
        #expect(
            try container.makeContext().count(for: FetchRequest<ManagedObject>(entityName: "Node"))
                == 0)
    }

    @Test("What leads to a new object that stays out stays out too", arguments: StoreKind.allCases)
    func dependentsStayOut(kind: StoreKind) throws {
        let container = try kind.container()
        let context = container.makeContext()
        let old = context.insertQuake("old", magnitude: 1)
        try context.save()
        let region = context.insertRegion("new")
        let (inside, outside) = (context.insertQuake("a", in: region), context.insertQuake("b"))
        old.region = region
        let tag = context.insertTag("t")
        outside.tags.insert(tag)
        inside.tags.insert(tag)
        let left = try context.save(excluding: [region])
        #expect(
            left == [region, inside, old] && region.isInserted && region.objectID.isTemporaryID)
        #expect(try codes(container) == ["b 1.0 -", "old 1.0 -"])
        #expect(Set(tag.quakes) == [inside, outside] && !outside.hasChanges)
        #expect(Set(region.quakes) == [inside, old])
        try context.save()
        #expect(try codes(container) == ["a 1.0 new", "b 1.0 -", "old 1.0 new"])
        let fresh = container.makeContext()
        let found = try #require(try fresh.fetch(FetchRequest<Tag>()).first)
        #expect(found.quakes.count == 2)
    }

    @Test("A deletion that stays out keeps what its rule takes along")
    func deletionsStayOut() throws {
        let container = try StoreKind.memory.container()
        let context = container.makeContext()
        let region = context.insertRegion("R")
        let (first, second) = (context.insertQuake("a", in: region), context.insertQuake("b"))
        try context.save()
        context.delete(region)
        context.delete(second)
        #expect(try context.save(excluding: [region]) == [region, first])
        #expect(try codes(container) == ["a 1.0 R"])
        #expect(context.deletedObjects == [region, first])
        context.rollback()
        #expect(!region.isDeleted && Array(region.quakes) == [first])
    }

    @Test("What is not valid can stay out, and orders keep what was saved of them")
    func invalidObjectsStayOut() throws {
        let container = try StoreKind.memory.container(Music.model)
        let context = container.makeContext()
        let playlist = Playlist(context: context)
        let songs = context.insertSongs("abc")
        for song in songs { playlist.songs.append(song) }
        try context.save()
        playlist.songs.move(from: 2, to: 0)
        let nameless = Song(context: context)
        playlist.songs.append(nameless)
        playlist.songs.append(context.insertSongs("d")[0])
        #expect(throws: ValidationError.self) { try context.save() }
        #expect(try context.save(excluding: [nameless]) == [nameless])
        let other = container.makeContext()
        let found = try other.existingObject(with: playlist.objectID, as: Playlist.self)
        #expect(found.songs.names == "cabd")
        #expect(playlist.songs.contains(nameless) && playlist.songs.count == 5)
        nameless.name = "e"
        try context.save()
        context.reset()
        let fresh = container.makeContext()
        let again = try fresh.existingObject(with: found.objectID, as: Playlist.self)
        #expect(Set(again.songs.names) == Set("cabde") && again.songs.names.hasPrefix("c"))
    }

    @Test("A save that fails leaves what was left out and what was not")
    func failuresKeepAll() throws {
        let container = try StoreKind.memory.container()
        let context = container.makeContext()
        let (first, second) = (context.insertQuake("a"), context.insertRegion("R"))
        try second.setValue(nil, forKey: "name")
        #expect(throws: ValidationError.self) { try context.save(excluding: [first]) }
        #expect(context.insertedObjects == [first, second])
    }
}
