import DuramenTestKit
import StoreTestSupport
import Testing

@testable import Duramen

/// Ordered to-manys that are looked at and edited by place, over and over.
@MainActor
@Suite struct OrderByPlaceTests {
    private func sequence(of playlist: Playlist) throws -> MemberSequence {
        let state = try #require(playlist.extra?.toManys[0])
        let context = try #require(playlist.managedObjectContext)
        return state.sequence(of: playlist, at: 0, in: context.main)
    }

    /// A playlist with saved songs, whose names are their numbers.
    private func playlist(
        _ count: Int, in context: ManagedObjectContext
    ) throws -> Playlist {
        let playlist = Playlist(context: context)
        for number in 0..<count {
            let song = Song(context: context)
            song.name = "\(number)"
            playlist.songs.append(song)
        }
        try context.save()
        return playlist
    }

    @Test(arguments: [1_000, 16_000])
    func editsByPlaceMoveFewMembersHoweverManyThereAre(count: Int) throws {
        let container = try StoreKind.memory.container(Music.model)
        let playlist = try playlist(count, in: container.viewContext)
        let songs = playlist.songs
        // The first edits find out that more may follow.
        for _ in 0..<2 { songs.move(from: 0, to: 1) }
        _ = songs[0]
        let sequence = try sequence(of: playlist)
        let known = sequence.moveCount
        let edits = 500
        for number in 0..<edits {
            songs.move(from: number, to: count - 1 - number)
            _ = songs[number / 2]
            let removed = songs.remove(at: number / 3)
            songs.insert(removed, at: songs.count / 2)
        }
        #expect(try self.sequence(of: playlist) === sequence)
        // Three edits of a leaf each, and now and then half of one.
        #expect(sequence.moveCount - known < edits * 3 * 64)
        #expect(songs.count == count && Set(songs).count == count)
    }

    @Test(arguments: StoreKind.allCases)
    func editsByPlaceDoWhatThoseOfAnArrayDo(kind: StoreKind) throws {
        let seed = randomSeed()
        var random = SplitMix64(seed: seed)
        let container = try kind.container(Music.model)
        let context = container.viewContext
        let playlist = try playlist(40, in: context)
        let songs = playlist.songs
        var expected = Array(songs)
        for step in 0..<repetitions(600) {
            let place = Int.random(in: 0..<max(1, expected.count), using: &random)
            let other = Int.random(in: 0..<max(1, expected.count), using: &random)
            switch Int.random(in: 0..<12, using: &random) {
            case 0, 1:
                let song = Song(context: context)
                song.name = "new \(step)"
                songs.insert(song, at: place)
                expected.insert(song, at: place)
            case 2 where !expected.isEmpty:
                #expect(songs.remove(at: place) === expected.remove(at: place))
            case 3...6 where !expected.isEmpty:
                songs.move(from: place, to: other)
                expected.insert(expected.remove(at: place), at: other)
            case 7 where !expected.isEmpty:
                let song = expected.remove(at: place)
                song.playlist = nil
                song.playlist = playlist
                expected.append(song)
            case 8 where !expected.isEmpty:
                context.delete(expected.remove(at: place))
                context.processPendingChanges()
            case 9: try context.save()
            case 10: #expect(Array(songs) == expected, "DURAMEN_SEED=\(seed), step \(step)")
            default:
                #expect(songs.count == expected.count, "DURAMEN_SEED=\(seed), step \(step)")
                if expected.indices.contains(place) {
                    #expect(songs[place] === expected[place])
                    #expect(songs.index(of: expected[other]) == other)
                }
            }
        }
        #expect(Array(songs) == expected, "DURAMEN_SEED=\(seed)")
        try context.save()
        let reader = container.makeContext()
        let stored = try reader.existingObject(with: playlist.objectID, as: Playlist.self)
        #expect(stored.songs.map(\.name) == expected.map(\.name), "DURAMEN_SEED=\(seed)")
    }
}
