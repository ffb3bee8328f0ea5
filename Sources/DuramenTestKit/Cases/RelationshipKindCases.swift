import DuramenModel
import DuramenStore

/// Law 2 for relationships that are ordered, that are their own inverses, or that have none.
enum RelationshipKindCases {
    static var all: [ConformanceCase] { ordered + pairs + selfInverse + withoutInverse }

    // MARK: - Order

    private static var ordered: [ConformanceCase] {
        [
            ConformanceCase(.atomicity, "Members of an ordered to-many are read by their numbers") {
                driver in
                var draft = driver.draft()
                let album = try draft.insert("Album")
                let numbers: [Int64] = [4_096, -5, .max, 2_048, .min, 2_048]
                let tracks = try numbers.map {
                    try draft.insert(
                        "Track", ["album": .objectID(album), "album.order": .integer($0)])
                }
                let last = try draft.insert("Track", ["album": .objectID(album)])
                try driver.commit(draft)
                let reader = try FidelityCases.reopenedIfDurable(driver)
                let members = try reader.orderedDestinations("Album.tracks", of: album)
                try checkEqual(
                    members.map(\.id),
                    [last] + [4, 1, 3, 5, 0, 2].map { tracks[$0] }, "the order of the tracks")
                try checkEqual(
                    members.map(\.order), [nil, .min, -5, 2_048, 2_048, 4_096, .max],
                    "the numbers of the tracks")
                try checkEqual(
                    try reader.destinations("Album.tracks", of: album), (tracks + [last]).sorted(),
                    "the tracks without an order")
            },
            ConformanceCase(.atomicity, "A number of a row changes like any value") { driver in
                var draft = driver.draft()
                let album = try draft.insert("Album")
                let other = try draft.insert("Album")
                let tracks = try (1...3).map {
                    try draft.insert(
                        "Track", ["album": .objectID(album), "album.order": .integer(Int64($0))])
                }
                try driver.commit(draft)
                let before = try driver.store.snapshot()
                try driver.commit {
                    try $0.update(tracks[0], ["album.order": .integer(9)])
                    try $0.update(
                        tracks[1], ["album": .objectID(other), "album.order": .integer(7)])
                }
                try checkEqual(
                    try driver.orderedDestinations("Album.tracks", of: album),
                    [
                        OrderedDestination(tracks[2], order: 3),
                        OrderedDestination(tracks[0], order: 9),
                    ], "the tracks afterwards")
                try checkEqual(
                    try driver.orderedDestinations("Album.tracks", of: other),
                    [OrderedDestination(tracks[1], order: 7)], "the tracks of the other album")
                try checkEqual(
                    try driver.orderedDestinations("Album.tracks", of: album, in: before)
                        .map(\.id), tracks, "the tracks as they were")
            },
        ]
    }

    private static var pairs: [ConformanceCase] {
        [
            ConformanceCase(.atomicity, "Pairs have a number in either direction") { driver in
                let set = try Picks(driver)
                let reader = try FidelityCases.reopenedIfDurable(driver)
                try checkEqual(
                    try reader.orderedDestinations("Album.picks", of: set.albums[0]),
                    [
                        OrderedDestination(set.tracks[1], order: 10),
                        OrderedDestination(set.tracks[0], order: 20),
                    ], "the picks of the first album")
                try checkEqual(
                    try reader.orderedDestinations("Track.pickedBy", of: set.tracks[0]),
                    [
                        OrderedDestination(set.albums[1], order: nil),
                        OrderedDestination(set.albums[0], order: 5),
                    ], "the albums of the first track")
            },
            ConformanceCase(.atomicity, "Adding a pair again changes the numbers it names") {
                driver in
                let set = try Picks(driver)
                try driver.commit {
                    $0.relate("Album.picks", set.albums[0], set.tracks[0], order: 1)
                    $0.relate("Track.pickedBy", set.tracks[0], set.albums[1], order: 6)
                }
                try driver.commit { $0.relate("Album.picks", set.albums[0], set.tracks[1]) }
                try checkEqual(
                    try driver.orderedDestinations("Album.picks", of: set.albums[0]).map(\.order),
                    [1, 10], "the numbers of the picks")
                try checkEqual(
                    try driver.orderedDestinations("Track.pickedBy", of: set.tracks[0]),
                    [
                        OrderedDestination(set.albums[0], order: 5),
                        OrderedDestination(set.albums[1], order: 6),
                    ], "the albums of the first track")
            },
            ConformanceCase(.atomicity, "A pair that ended has no number when it comes again") {
                driver in
                let set = try Picks(driver)
                try driver.commit { $0.unrelate("Album.picks", set.albums[0], set.tracks[0]) }
                try driver.commit { $0.relate("Album.picks", set.albums[0], set.tracks[0]) }
                try checkEqual(
                    try driver.orderedDestinations("Album.picks", of: set.albums[0]),
                    [
                        OrderedDestination(set.tracks[0], order: nil),
                        OrderedDestination(set.tracks[1], order: 10),
                    ], "the picks of the first album")
            },
        ]
    }

    // MARK: - Own inverses

    private static var selfInverse: [ConformanceCase] {
        [
            ConformanceCase(
                .atomicity, "A pair of a relationship that is its own inverse has no sides"
            ) {
                driver in
                var draft = driver.draft()
                let tracks = try (0..<4).map { _ in try draft.insert("Track") }
                draft.relate("Track.similar", tracks[2], tracks[0])
                draft.relate("Track.similar", tracks[0], tracks[1])
                draft.relate("Track.similar", tracks[3], tracks[3])
                try driver.commit(draft)
                let reader = try FidelityCases.reopenedIfDurable(driver)
                for (track, others) in [(0, [1, 2]), (1, [0]), (2, [0]), (3, [3])] {
                    try checkEqual(
                        try reader.destinations("Track.similar", of: tracks[track]),
                        others.map { tracks[$0] }, "what track \(track) is similar to")
                }
                try reader.commit {
                    $0.unrelate("Track.similar", tracks[0], tracks[2])
                    $0.unrelate("Track.similar", tracks[3], tracks[3])
                }
                try checkEqual(
                    try reader.destinations("Track.similar", of: tracks[2]), [],
                    "what the third track is similar to")
                try checkEqual(
                    try reader.destinations("Track.similar", of: tracks[3]), [],
                    "what the fourth track is similar to")
                try reader.commit { try $0.delete(tracks[0]) }
                try checkEqual(
                    try reader.destinations("Track.similar", of: tracks[1]), [],
                    "what the second track is similar to")
                // The key may be reused; the pairs must not reappear.
                try reader.commit { try $0.insert("Track", key: tracks[0].key) }
                try checkEqual(
                    try reader.destinations("Track.similar", of: tracks[0]), [],
                    "what the new track is similar to")
            },
            ConformanceCase(.atomicity, "An ordered pair without sides has a number for each end") {
                driver in
                var draft = driver.draft()
                let tracks = try (0..<3).map { _ in try draft.insert("Track") }
                draft.relate("Track.chain", tracks[0], tracks[1], order: 8, inverseOrder: 3)
                draft.relate("Track.chain", tracks[2], tracks[0], order: 4, inverseOrder: 2)
                try driver.commit(draft)
                let reader = try FidelityCases.reopenedIfDurable(driver)
                try checkEqual(
                    try reader.orderedDestinations("Track.chain", of: tracks[0]),
                    [
                        OrderedDestination(tracks[2], order: 2),
                        OrderedDestination(tracks[1], order: 8),
                    ], "the chain of the first track")
                try checkEqual(
                    try reader.orderedDestinations("Track.chain", of: tracks[1]),
                    [OrderedDestination(tracks[0], order: 3)], "the chain of the second track")
                try checkEqual(
                    try reader.orderedDestinations("Track.chain", of: tracks[2]),
                    [OrderedDestination(tracks[0], order: 4)], "the chain of the third track")
            },
            ConformanceCase(.atomicity, "A to-one that is its own inverse is read from both sides")
            {
                driver in
                var draft = driver.draft()
                let first = try draft.insert("Track")
                let second = try draft.insert("Track", ["partner": .objectID(first)])
                try driver.commit(draft)
                try driver.commit { try $0.update(first, ["partner": .objectID(second)]) }
                let reader = try FidelityCases.reopenedIfDurable(driver)
                try checkEqual(
                    try reader.values(first), ["partner": .objectID(second)], "the first track")
                try checkEqual(
                    try reader.values(second), ["partner": .objectID(first)], "the second track")
            },
        ]
    }

    // MARK: - Without inverses

    private static var withoutInverse: [ConformanceCase] {
        [
            ConformanceCase(
                .atomicity, "A to-one without an inverse leads to objects of any sub-entity"
            ) {
                driver in
                let library = try Library(driver)
                var draft = driver.draft()
                let covers = [library.book, library.novel, library.disc]
                let tracks = try covers.map {
                    try draft.insert("Track", ["cover": .objectID($0)])
                }
                try driver.commit(draft)
                let reader = try FidelityCases.reopenedIfDurable(driver)
                for (track, cover) in zip(tracks, covers) {
                    try checkEqual(
                        try reader.values(track), ["cover": .objectID(cover)], "a track")
                    try checkEqual(
                        try reader.destinations("Item..Track.cover", of: cover), [track],
                        "the tracks of a cover")
                }
            },
            ConformanceCase(
                .atomicity, "A to-many without an inverse holds objects of any sub-entity"
            ) { driver in
                let library = try Library(driver)
                let album = try driver.insert("Album")
                let items = [library.book, library.novel, library.disc]
                try driver.commit { draft in
                    for item in items {
                        try draft.update(item, [".Album.extras": .objectID(album)])
                    }
                }
                let reader = try FidelityCases.reopenedIfDurable(driver)
                try checkEqual(
                    try reader.destinations("Album.extras", of: album), items.sorted(),
                    "the extras")
                try reader.commit {
                    try $0.update(library.novel, [".Album.extras": .null, "rank": .integer(77)])
                }
                try checkEqual(
                    try reader.destinations("Album.extras", of: album),
                    [library.book, library.disc].sorted(), "the extras that are left")
            },
            ConformanceCase(
                .atomicity, "An ordered to-many without an inverse is one of each of its owners"
            ) { driver in
                let library = try Library(driver)
                var draft = driver.draft()
                let owners = [library.book, library.novel, library.disc]
                var tracks: [ManagedObjectID] = []
                for (place, owner) in (owners + owners).enumerated() {
                    tracks.append(
                        try draft.insert(
                            "Track",
                            [
                                ".Item.hints": .objectID(owner),
                                ".Item.hints.order": .integer(Int64(-place)),
                            ]))
                }
                try driver.commit(draft)
                let reader = try FidelityCases.reopenedIfDurable(driver)
                for (place, owner) in owners.enumerated() {
                    try checkEqual(
                        try reader.orderedDestinations("Item.hints", of: owner).map(\.id),
                        [tracks[place + 3], tracks[place]], "the hints of \(owner.entityName)")
                    try checkEqual(
                        try reader.values(tracks[place])?[".Item.hints"], .objectID(owner),
                        "the owner of a hint")
                }
            },
        ]
    }
}

/// Two albums that pick two tracks.
private struct Picks {
    let albums: [ManagedObjectID]
    let tracks: [ManagedObjectID]

    init(_ driver: StoreDriver) throws {
        var draft = driver.draft()
        let albums = try (0..<2).map { _ in try draft.insert("Album") }
        let tracks = try (0..<2).map { _ in try draft.insert("Track") }
        draft.relate("Album.picks", albums[0], tracks[0], order: 20, inverseOrder: 5)
        draft.relate("Album.picks", albums[0], tracks[1], order: 10)
        draft.relate("Track.pickedBy", tracks[0], albums[1], inverseOrder: 3)
        try driver.commit(draft)
        self.albums = albums
        self.tracks = tracks
    }
}
