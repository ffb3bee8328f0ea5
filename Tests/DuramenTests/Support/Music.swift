import Duramen

/// A playlist keeps its songs in order; so does a mix, which shares them with others.
final class Playlist: ManagedObject {
    var title: String? {
        get { attribute(at: 0) }
        set { setAttribute(newValue, at: 0) }
    }
    var songs: OrderedToMany<Song> { orderedToMany(at: 0) }

    override class var entityDescription: EntityDescription {
        EntityDescription(
            name: "Playlist", attributes: [.of(String?.self, name: "title")],
            relationships: [
                .toMany(
                    "songs", destination: Song.self, inverse: \Song.playlist, isOrdered: true)
            ])
    }

    override class func propertyName(for keyPath: AnyKeyPath) -> String? { names[keyPath] }

    private static let names = ManagedKeyPaths([
        \Playlist.title: "title", \Playlist.songs: "songs",
    ])
}

final class Mix: ManagedObject {
    var songs: OrderedToMany<Song> { orderedToMany(at: 0) }

    override class var entityDescription: EntityDescription {
        EntityDescription(
            name: "Mix",
            relationships: [
                .toMany("songs", destination: Song.self, inverse: \Song.mixes, isOrdered: true)
            ])
    }

    override class func propertyName(for keyPath: AnyKeyPath) -> String? { names[keyPath] }

    private static let names = ManagedKeyPaths([\Mix.songs: "songs"])
}

final class Song: ManagedObject {
    var name: String {
        get { attribute(at: 0) }
        set { setAttribute(newValue, at: 0) }
    }
    var playlist: Playlist? {
        get { toOne(at: 1) }
        set { setToOne(newValue, at: 1) }
    }
    var mixes: ToMany<Mix> { toMany(at: 0) }

    override class var entityDescription: EntityDescription {
        EntityDescription(
            name: "Song", attributes: [.of(String.self, name: "name")],
            relationships: [
                .toOne("playlist", destination: Playlist.self),
                .toMany("mixes", destination: Mix.self),
            ])
    }

    override class func propertyName(for keyPath: AnyKeyPath) -> String? { names[keyPath] }

    private static let names = ManagedKeyPaths([
        \Song.name: "name", \Song.playlist: "playlist", \Song.mixes: "mixes",
    ])
}

enum Music {
    static let model: ManagedObjectModel = {
        do {
            return try ManagedObjectModel(Playlist.self, Mix.self, Song.self)
        } catch {
            fatalError("\(error)")
        }
    }()
}

extension ManagedObjectContext {
    /// Songs whose names are the letters of a text.
    func insertSongs(_ names: String) -> [Song] {
        names.map { name in
            let song = Song(context: self)
            song.name = String(name)
            return song
        }
    }
}

extension OrderedToMany where Element == Song {
    /// The songs' names in their order.
    var names: String { map(\.name).joined() }
}
