import Duramen
import Testing

/// Objects whose deletion was saved.
@Suite struct GoneObjectTests {
    @Test(
        "A deleted object is gone with the save, and has no context", arguments: StoreKind.allCases)
    func states(kind: StoreKind) throws {
        let context = try kind.container().makeContext()
        let quake = context.insertQuake("us1")
        try context.save()
        #expect(!quake.isGone && quake.managedObjectContext === context)
        context.delete(quake)
        #expect(quake.isDeleted && !quake.isGone && quake.managedObjectContext === context)
        try context.save()
        #expect(!quake.isDeleted && quake.isGone && quake.managedObjectContext == nil)
        #expect(quake.code == "us1" && !quake.hasChanges)
    }

    @Test("So is one that another context deleted, once that is merged and a save has passed")
    @MainActor func deletedElsewhere() async throws {
        let container = try makeContainer()
        let context = container.viewContext
        let (quake, other) = (context.insertQuake("us1"), context.insertQuake("us2"))
        try context.save()
        let id = quake.objectID
        try await container.performBackgroundTask { context in
            context.delete(try context.existingObject(with: id))
            try context.save()
        }
        #expect(quake.isDeleted && !quake.isGone)
        other.depth = 1
        try context.save()
        #expect(quake.isGone && quake.managedObjectContext == nil)
    }

    private static let writes: [(String, @Sendable (Quake, Region, Tag) -> Void)] = [
        ("magnitude", { quake, _, _ in quake.magnitude = 5 }),
        ("depth", { quake, _, _ in quake.depth = nil }),
        ("status", { quake, _, _ in quake.status = .reviewed }),
        ("region", { quake, region, _ in quake.region = region }),
        ("region", { quake, _, _ in quake.region = nil }),
        ("tags", { quake, _, tag in quake.tags.insert(tag) }),
    ]

    @Test(
        "A write to it is recorded, and the next save says so, naming entity, ID and property",
        arguments: StoreKind.allCases)
    func writes(kind: StoreKind) throws {
        for (property, write) in Self.writes {
            let context = try kind.container().makeContext()
            let (quake, other) = (context.insertQuake("us1"), context.insertQuake("us2"))
            let (region, tag) = (context.insertRegion("North"), context.insertTag("felt"))
            try context.save()
            let id = quake.objectID
            context.delete(quake)
            try context.save()
            write(quake, region, tag)
            other.magnitude = 7
            let error = #expect(throws: ContextError.self) { try context.save() }
            #expect(error?.code == .objectNotFound && error?.objectID == id)
            #expect(error?.message.contains("'Quake.\(property)' of \(id)") == true)
            // It was said, and nothing else is lost.
            try context.save()
            #expect(!context.hasChanges && quake.isGone)
            #expect(try context.quake("us2")?.magnitude == 7)
            #expect(try context.count(for: FetchRequest<Quake>()) == 1)
        }
    }

    private static let orderedWrites: [(String, @Sendable (Playlist, Mix, Song) -> Void)] = [
        ("Song.playlist", { playlist, _, song in playlist.songs.append(song) }),
        ("Song.playlist", { playlist, _, song in playlist.songs.insert(song, at: 0) }),
        ("Song.playlist", { playlist, _, song in song.playlist = playlist }),
        ("Playlist.title", { playlist, _, _ in playlist.title = "lost" }),
        ("Mix.songs", { _, mix, song in mix.songs.append(song) }),
        ("Mix.songs", { _, mix, song in mix.songs.insert(song, at: 0) }),
        ("Mix.songs", { _, mix, song in mix.songs.replace(with: [song]) }),
        ("Song.mixes", { _, mix, song in song.mixes.insert(mix) }),
    ]

    @Test(
        "So is one to an ordered list or a pair of it, from either side",
        arguments: StoreKind.allCases)
    func orderedWrites(kind: StoreKind) throws {
        for (property, write) in Self.orderedWrites {
            let context = try kind.container(Music.model).makeContext()
            let (playlist, mix) = (Playlist(context: context), Mix(context: context))
            let songs = context.insertSongs("ab")
            playlist.songs.append(songs[0])
            mix.songs.append(songs[0])
            try context.save()
            context.delete(playlist)
            context.delete(mix)
            try context.save()
            write(playlist, mix, songs[1])
            let error = #expect(throws: ContextError.self) { try context.save() }
            #expect(error?.code == .objectNotFound)
            #expect(error?.message.contains("'\(property)' of ") == true, "\(property)")
            try context.save()
            #expect(!context.hasChanges && songs[1].playlist == nil && songs[1].mixes.isEmpty)
            #expect(try context.count(for: FetchRequest<Song>()) == 2)
        }
    }

    @Test("Taking out what is gone asks for nothing", arguments: StoreKind.allCases)
    func takingOut(kind: StoreKind) throws {
        let context = try kind.container(Music.model).makeContext()
        let mix = Mix(context: context)
        let songs = context.insertSongs("ab")
        mix.songs.append(contentsOf: songs)
        try context.save()
        context.delete(songs[0])
        try context.save()
        mix.songs.remove(songs[0])
        try context.save()
        #expect(mix.songs.map(\.name) == ["b"] && !context.hasChanges)
    }

    /// Pairs in which a deletion leaves the partner's reference as it is.
    private static func pairs() throws -> ManagedObjectModel {
        try ManagedObjectModel([
            EntityDescription(
                name: "Link",
                relationships: [
                    .toOne("next", destination: "Link", deleteRule: .noAction, inverse: "previous"),
                    .toOne("previous", destination: "Link", deleteRule: .noAction),
                ])
        ])
    }

    /// Each gives the first of two objects another partner, or none.
    private static let partings: [@MainActor @Sendable ([ManagedObject]) throws -> Void] = [
        { try $0[1].setValue($0[0], forKey: "next") },
        { try $0[0].setValue($0[1], forKey: "previous") },
        { try $0[0].setValue(nil, forKey: "previous") },
    ]

    @Test(
        "So does giving its partner another one, here or where it was never loaded",
        arguments: StoreKind.allCases, [false, true])
    @MainActor func takingPartners(kind: StoreKind, isElsewhere: Bool) throws {
        for part in Self.partings {
            let model = try Self.pairs()
            let entity = try #require(model.entity(named: "Link"))
            let container = try kind.container(model)
            var context = container.makeContext()
            let objects = (0..<3).map { _ in ManagedObject(entity: entity, context: context) }
            try objects[2].setValue(objects[0], forKey: "next")
            try context.save()
            context.delete(objects[2])
            try context.save()
            if isElsewhere { context = container.makeContext() }
            let left = try objects.prefix(2).map { try context.existingObject(with: $0.objectID) }
            try part(left)
            try context.save()
            let previous = try left[0].value(forKey: "previous") as? ManagedObject
            #expect(previous == nil || previous === left[1])
            #expect(!context.hasChanges)
        }
    }

    @Test("Setting a value by key says so at once")
    func byKey() throws {
        let context = try makeContainer().makeContext()
        let quake = context.insertQuake("us1")
        try context.save()
        context.delete(quake)
        try context.save()
        #expect(
            contextErrorCode { try quake.setValue(5.0, forKey: "magnitude") } == .objectNotFound)
    }

    @Test("Undoing the deletion brings it back")
    func undo() throws {
        let context = try makeContainer().makeContext()
        context.undoManager = ContextUndoManager()
        let quake = context.insertQuake("us1")
        try context.save()
        context.processPendingChanges()
        context.delete(quake)
        try context.save()
        #expect(quake.isGone)
        try context.undo()
        #expect(!quake.isGone && quake.managedObjectContext === context)
        quake.magnitude = 3
        try context.save()
        #expect(try context.quake("us1")?.magnitude == 3)
    }

    @Test(
        "A new object that is deleted before it was saved is gone, and a rollback leaves no trace")
    func neverSaved() throws {
        let context = try makeContainer().makeContext()
        let quake = context.insertQuake("us1")
        context.delete(quake)
        context.processPendingChanges()
        quake.magnitude = 2
        #expect(quake.isGone && quake.managedObjectContext == nil && !quake.isDeleted)
        try context.save()
        let saved = context.insertQuake("us2")
        try context.save()
        context.delete(saved)
        try context.save()
        saved.magnitude = 2
        context.rollback()
        try context.save()
    }
}
