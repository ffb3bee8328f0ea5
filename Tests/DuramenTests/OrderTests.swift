import Duramen
import DuramenTestKit
import Testing

/// Ordered to-manys, over a to-one and over pairs, on every store.
@MainActor struct OrderTests {
    /// Which of the two kinds of ordered to-manys.
    enum Owner: CaseIterable {
        case playlist, mix
    }

    /// An owner with songs named by letters, saved.
    private struct Fixture {
        let container: PersistentContainer
        let context: ManagedObjectContext
        let object: ManagedObject

        @MainActor init(_ kind: StoreKind, _ owner: Owner, _ names: String = "abcde") throws {
            container = try kind.container(Music.model)
            context = container.viewContext
            object =
                owner == .playlist ? Playlist(context: context) : Mix(context: context)
            songs.append(contentsOf: context.insertSongs(names))
            try context.save()
        }

        var songs: OrderedToMany<Song> { Self.songs(of: object) }

        static func songs(of object: ManagedObject) -> OrderedToMany<Song> {
            (object as? Playlist)?.songs ?? (object as? Mix)?.songs ?? object.orderedToMany(at: 0)
        }

        /// The names as another context reads them.
        func stored() throws -> String {
            let context = container.makeContext()
            let songs = Self.songs(of: try context.existingObject(with: object.objectID))
            return withExtendedLifetime(context) { songs.names }
        }

        /// The same songs in another context, which merges what is saved.
        func elsewhere() throws -> (context: ManagedObjectContext, songs: OrderedToMany<Song>) {
            let context = container.makeContext(
                ContextOptions(automaticallyMergesChangesFromParent: true))
            return (
                context, Self.songs(of: try context.existingObject(with: object.objectID))
            )
        }
    }

    @Test(arguments: StoreKind.allCases, Owner.allCases)
    func theOrderIsSaved(kind: StoreKind, owner: Owner) throws {
        let fixture = try Fixture(kind, owner)
        #expect(fixture.songs.names == "abcde")
        #expect(try fixture.stored() == "abcde")
        #expect(!fixture.context.hasChanges)
    }

    @Test(arguments: StoreKind.allCases, Owner.allCases)
    func aMemberThatIsAssignedToAnotherPlaceMovesThere(kind: StoreKind, owner: Owner) throws {
        let fixture = try Fixture(kind, owner)
        let songs = fixture.songs
        songs[4] = songs[0]
        #expect(songs.names == "bcda")
        songs[0] = songs[2]
        #expect(songs.names == "dca")
        songs[1] = songs[2]
        #expect(songs.names == "da")
        try fixture.context.save()
        #expect(try songs.names == "da" && fixture.stored() == "da")
    }

    @Test(arguments: StoreKind.allCases, Owner.allCases)
    func membersAreInsertedMovedReplacedAndRemovedByPlace(kind: StoreKind, owner: Owner) throws {
        let fixture = try Fixture(kind, owner)
        let songs = fixture.songs
        songs.insert(fixture.context.insertSongs("x")[0], at: 2)
        #expect(songs.names == "abxcde")
        songs.move(from: 0, to: 5)
        #expect(songs.names == "bxcdea")
        songs.move(from: 5, to: 0)
        songs.remove(at: 1)
        #expect(songs.names == "axcde")
        songs[2] = fixture.context.insertSongs("y")[0]
        #expect(songs.names == "axyde")
        // What is there already is moved, not doubled.
        songs.insert(songs[4], at: 0)
        #expect(songs.names == "eaxyd")
        songs.append(songs[0])
        #expect(songs.names == "eaxyd")
        #expect(songs.index(of: songs[3]) == 3)
        try fixture.context.save()
        #expect(songs.names == "eaxyd")
        #expect(try fixture.stored() == "eaxyd")
        songs.replace(with: Array(songs.reversed()) + [songs[0]])
        try fixture.context.save()
        #expect(try fixture.stored() == "dyxae")
        songs.removeAll()
        try fixture.context.save()
        #expect(try fixture.stored() == "")
    }

    @Test(arguments: StoreKind.allCases)
    func theOtherSideAppends(kind: StoreKind) throws {
        let fixture = try Fixture(kind, .playlist)
        let playlist = try #require(fixture.object as? Playlist)
        let other = Playlist(context: fixture.context)
        let first = playlist.songs[0]
        first.playlist = other
        first.playlist = playlist
        #expect(playlist.songs.names == "bcdea")
        try #require(fixture.context.insertSongs("f").first).playlist = playlist
        try fixture.context.save()
        #expect(try fixture.stored() == "bcdeaf")
        // Not read before: the newcomer is numbered behind what the store has.
        let context = fixture.container.makeContext()
        let song = try #require(context.insertSongs("g").first)
        song.playlist =
            try context.existingObject(with: playlist.objectID) as? Playlist
        try context.save()
        #expect(try fixture.stored() == "bcdeafg")
    }

    @Test(arguments: StoreKind.allCases, Owner.allCases)
    func movingOneMemberWritesOneNumber(kind: StoreKind, owner: Owner) throws {
        let fixture = try Fixture(kind, owner)
        let before = try numbers(fixture)
        fixture.songs.move(from: 4, to: 1)
        try fixture.context.save()
        let after = try numbers(fixture)
        #expect(after.filter { before[$0.key] != $0.value }.count == 1)
        #expect(before.count == 5 && after.count == 5)
    }

    /// The stored numbers of the members.
    private func numbers(_ fixture: Fixture) throws -> [ManagedObjectID: Int64?] {
        let store = fixture.container.persistentStoreCoordinator.store
        let relationship = try #require(
            store.model.relationships.first {
                $0.isOrdered && store.model[$0.declaringEntity].name == fixture.object.entity.name
            })
        let lists = try store.snapshot().orderedDestinations(
            of: relationship.id, from: [fixture.object.objectID])
        return Dictionary(uniqueKeysWithValues: lists[0].map { ($0.id, $0.order) })
    }

    @Test(arguments: StoreKind.allCases, Owner.allCases)
    func numbersAreSpreadAnewWhenThereIsNoRoom(kind: StoreKind, owner: Owner) throws {
        let fixture = try Fixture(kind, owner, "az")
        var expected = ["a", "z"]
        for step in 0..<30 {
            let song = Song(context: fixture.context)
            song.name = "\(step)."
            fixture.songs.insert(song, at: 1)
            expected.insert(song.name, at: 1)
            try fixture.context.save()
        }
        #expect(try fixture.stored() == expected.joined())
    }

    @Test(arguments: StoreKind.allCases, Owner.allCases)
    func whatTwoContextsMakeOfAnOrderAddsUp(kind: StoreKind, owner: Owner) throws {
        let fixture = try Fixture(kind, owner)
        let (context, songs) = try fixture.elsewhere()
        #expect(songs.names == "abcde")
        fixture.songs.move(from: 0, to: 4)
        fixture.songs.append(fixture.context.insertSongs("x")[0])
        songs.move(from: 3, to: 0)
        songs.remove(at: 2)
        songs.insert(context.insertSongs("y")[0], at: 1)
        #expect(songs.names == "dyace")
        try fixture.context.save()
        #expect(try fixture.stored() == "bcdeax")
        context.processPendingChanges()
        #expect(songs.names == "dyceax")
        try context.save()
        #expect(try fixture.stored() == "dyceax")
        fixture.context.processPendingChanges()
        #expect(fixture.songs.names == "dyceax")
        #expect(!fixture.context.hasChanges && !context.hasChanges)
    }

    @Test(arguments: StoreKind.allCases)
    func aMemberAddedHereStaysThoughOthersAddAndRemoveIt(kind: StoreKind) throws {
        let fixture = try Fixture(kind, .mix, "ab")
        let song = fixture.context.insertSongs("x")[0]
        try fixture.context.save()
        let (context, songs) = try fixture.elsewhere()
        let same = try #require(try context.existingObject(with: song.objectID) as? Song)
        songs.insert(same, at: 0)
        fixture.songs.append(song)
        try fixture.context.save()
        context.processPendingChanges()
        #expect(songs.count == 3 && same.mixes.count == 1)
        fixture.songs.remove(song)
        try fixture.context.save()
        context.processPendingChanges()
        #expect(songs.names == "xab" && same.mixes.count == 1)
        try context.save()
        #expect(try fixture.stored() == "xab")
    }

    @Test func movingOneMemberOfAOneToManyTwiceIsAConflict() throws {
        let fixture = try Fixture(.memory, .playlist)
        let context = fixture.container.makeContext()
        let songs = Fixture.songs(of: try context.existingObject(with: fixture.object.objectID))
        songs.move(from: 4, to: 0)
        fixture.songs.move(from: 4, to: 1)
        try fixture.context.save()
        #expect(throws: SaveConflictError.self) { try context.save() }
        context.rollback()
        #expect(songs.names == "aebcd")
        #expect(try fixture.stored() == "aebcd")
    }

    @Test(arguments: StoreKind.allCases, Owner.allCases)
    func rollingBackBringsTheOrderBack(kind: StoreKind, owner: Owner) throws {
        let fixture = try Fixture(kind, owner)
        fixture.songs.move(from: 0, to: 3)
        #expect(fixture.context.hasChanges)
        #expect(fixture.object.isUpdated)
        fixture.songs.insert(fixture.context.insertSongs("x")[0], at: 0)
        fixture.context.rollback()
        #expect(fixture.songs.names == "abcde")
        #expect(!fixture.context.hasChanges)
        try fixture.context.save()
        #expect(try fixture.stored() == "abcde")
    }

    @Test(arguments: StoreKind.allCases, Owner.allCases)
    func refreshingDropsTheOrderOrKeepsIt(kind: StoreKind, owner: Owner) throws {
        let fixture = try Fixture(kind, owner)
        fixture.songs.move(from: 0, to: 4)
        try fixture.context.refresh(fixture.object, mergeChanges: true)
        #expect(fixture.songs.names == "bcdea")
        try fixture.context.refresh(fixture.object, mergeChanges: false)
        #expect(fixture.songs.names == "abcde")
        try fixture.context.save()
        #expect(try fixture.stored() == "abcde")
    }

    @Test(arguments: StoreKind.allCases, Owner.allCases)
    func aMemberWhoseRemovalIsDroppedIsAmongThoseThatWereGivenPlaces(
        kind: StoreKind, owner: Owner
    ) throws {
        let fixture = try Fixture(kind, owner)
        let song = fixture.songs.remove(at: 1)
        fixture.songs.move(from: 3, to: 0)
        #expect(fixture.songs.names == "eacd")
        try fixture.context.refresh(song, mergeChanges: false)
        #expect(fixture.songs.names == "eabcd")
        try fixture.context.save()
        #expect(try fixture.stored() == "eabcd")
    }

    @Test(arguments: StoreKind.allCases, Owner.allCases)
    func anOrderOutlivesASaveThatFails(kind: StoreKind, owner: Owner) throws {
        let plan = FaultPlan()
        let container = try kind.container(Music.model, plan: plan)
        let context = container.viewContext
        let object: ManagedObject =
            owner == .playlist ? Playlist(context: context) : Mix(context: context)
        let songs = Fixture.songs(of: object)
        songs.append(contentsOf: context.insertSongs("abc"))
        songs.move(from: 2, to: 0)
        plan.fail(.save, with: .diskFull)
        #expect(throws: StoreError.self) { try context.save() }
        #expect(songs.names == "cab")
        try context.save()
        songs.move(from: 0, to: 1)
        plan.fail(.save, with: .diskFull)
        #expect(throws: StoreError.self) { try context.save() }
        songs.append(context.insertSongs("d")[0])
        try context.save()
        let other = container.makeContext()
        let found = Fixture.songs(of: try other.existingObject(with: object.objectID))
        withExtendedLifetime(other) { #expect(found.names == "acbd") }
    }

    @Test(arguments: StoreKind.allCases, Owner.allCases)
    func deletedMembersLeaveTheOthersInOrder(kind: StoreKind, owner: Owner) throws {
        let fixture = try Fixture(kind, owner)
        fixture.songs.move(from: 4, to: 0)
        fixture.context.delete(fixture.songs[2])
        fixture.context.processPendingChanges()
        #expect(fixture.songs.names == "eacd")
        try fixture.context.save()
        #expect(try fixture.stored() == "eacd")
    }

    @Test(arguments: StoreKind.allCases)
    func anOrderIsReadAndSetByKey(kind: StoreKind) throws {
        let fixture = try Fixture(kind, .mix)
        let songs = try #require(try fixture.object.value(forKey: "songs") as? [ManagedObject])
        #expect(songs.map { ($0 as? Song)?.name } == ["a", "b", "c", "d", "e"])
        try fixture.object.setValue([songs[3], songs[1]], forKey: "songs")
        try fixture.context.save()
        #expect(try fixture.stored() == "db")
    }

    @Test func aPlaceThatIsNotThereTraps() async {
        await #expect(processExitsWith: .failure) {
            try await MainActor.run {
                let context = try StoreKind.memory.container(Music.model).viewContext
                let mix = Mix(context: context)
                mix.songs.insert(context.insertSongs("a")[0], at: 1)
            }
        }
    }

    @Test(
        "Places that members get after a save of unknown outcome are saved",
        arguments: StoreKind.allCases, Owner.allCases)
    func placesAfterASaveOfUnknownOutcomeAreSaved(kind: StoreKind, owner: Owner) throws {
        for moment in FaultPlan.Moment.allCases {
            for isNew in [true, false] {
                let plan = FaultPlan()
                let context = try kind.container(Music.model, plan: plan).viewContext
                let object = owner == .playlist ? Playlist(context: context) : Mix(context: context)
                let songs = Fixture.songs(of: object)
                songs.append(contentsOf: context.insertSongs("abcde"))
                if !isNew {
                    try context.save()
                    songs.move(from: 4, to: 0)
                }
                plan.fail(.save, with: .unknownOutcome, moment)
                #expect(throws: StoreError.self) { try context.save() }
                songs.move(from: 1, to: 3)
                let expected = songs.names
                #expect(try context.resolveUnknownSave() == (moment == .after))
                #expect(context.hasChanges)
                try context.save()
                #expect(!context.hasChanges)
                #expect(songs.names == expected)
                context.reset()
                let stored = Fixture.songs(of: try context.existingObject(with: object.objectID))
                #expect(stored.names == expected)
            }
        }
    }

    @Test(
        "Places that a save of unknown outcome gave are no changes any more",
        arguments: StoreKind.allCases, Owner.allCases)
    func savedPlacesAreNoChanges(kind: StoreKind, owner: Owner) throws {
        let plan = FaultPlan()
        let context = try kind.container(Music.model, plan: plan).viewContext
        let object = owner == .playlist ? Playlist(context: context) : Mix(context: context)
        let songs = Fixture.songs(of: object)
        songs.append(contentsOf: context.insertSongs("abcde"))
        try context.save()
        songs.move(from: 4, to: 0)
        plan.fail(.save, with: .unknownOutcome, .after)
        #expect(throws: StoreError.self) { try context.save() }
        #expect(try context.resolveUnknownSave() == true)
        #expect(!context.hasChanges)
        #expect(songs.names == "eabcd")
    }

    /// Random edits against a plain array.
    @Test(arguments: StoreKind.allCases, Owner.allCases)
    func randomEditsAreWhatArraysMakeOfThem(kind: StoreKind, owner: Owner) throws {
        let seed = UInt64.random(in: 0...UInt64.max)
        var random = SplitMix64(seed: seed)
        print("seed of random orders: \(seed)")
        let fixture = try Fixture(kind, owner, "")
        var expected: [String] = []
        for step in 0..<120 {
            let songs = fixture.songs
            let count = expected.count
            switch Int.random(in: 0..<8, using: &random) {
            case 0, 1:
                let song = Song(context: fixture.context)
                song.name = "\(step),"
                let place = Int.random(in: 0...count, using: &random)
                songs.insert(song, at: place)
                expected.insert(song.name, at: place)
            case 2:
                let song = Song(context: fixture.context)
                song.name = "\(step),"
                songs.append(song)
                expected.append(song.name)
            case 3, 4:
                if count == 0 { continue }
                let source = Int.random(in: 0..<count, using: &random)
                let place = Int.random(in: 0..<count, using: &random)
                songs.move(from: source, to: place)
                expected.insert(expected.remove(at: source), at: place)
            case 5:
                if count == 0 { continue }
                let place = Int.random(in: 0..<count, using: &random)
                songs.remove(at: place)
                expected.remove(at: place)
            case 6:
                try fixture.context.save()
                #expect(try fixture.stored() == expected.joined(), "seed \(seed), step \(step)")
            default: try fixture.context.refresh(fixture.object, mergeChanges: true)
            }
            #expect(songs.names == expected.joined(), "seed \(seed), step \(step)")
        }
        try fixture.context.save()
        #expect(try fixture.stored() == expected.joined(), "seed \(seed)")
    }
}
