import Duramen
import DuramenTestKit

/// A graph with every kind of relationship, edited at random, and described so that two states of
/// it can be compared.
@MainActor struct UndoGraph {
    static let model: ManagedObjectModel = {
        do {
            return try ManagedObjectModel(
                Quake.self, Region.self, Tag.self, Station.self, OceanStation.self, Playlist.self,
                Mix.self, Song.self)
        } catch {
            fatalError("\(error)")
        }
    }()

    let context: ManagedObjectContext
    /// Mixes have no name but their place here. They are the same objects for ever, whatever is
    /// undone.
    private(set) var mixes: [Mix] = []
    private var count: Int
    /// What was done.
    var log: [String] = []

    /// - Parameter count: Where names begin, so that those of several editors differ.
    init(_ context: ManagedObjectContext, countingFrom count: Int = 0) {
        self.context = context
        self.count = count
    }

    private func all<Object: ManagedObject>(
        _ type: Object.Type, by name: (Object) -> String
    ) throws -> [Object] {
        try context.fetch(FetchRequest<Object>()).filter { !$0.isDeleted }
            .sorted { name($0) < name($1) }
    }

    // MARK: - Editing

    mutating func change(_ generator: inout SplitMix64) throws {
        count += 1
        let name = String(1_000_000 + count)
        let region = try all(Region.self, by: \.name).randomElement(using: &generator)
        let tag = try all(Tag.self, by: \.name).randomElement(using: &generator)
        let quake = try all(Quake.self, by: \.code).randomElement(using: &generator)
        let number = Int.random(in: 0..<30, using: &generator)
        log.append(
            "\(number) \(name) \(region?.name ?? "") \(tag?.name ?? "") \(quake?.code ?? "")")
        switch number {
        case 0: _ = context.insertRegion(name)
        case 1: _ = context.insertTag(name)
        case 2, 3: _ = context.insertQuake(name, in: region)
        case 4: quake?.magnitude = Double(Int.random(in: 0..<3, using: &generator))
        case 5: quake?.depth = Bool.random(using: &generator) ? nil : Double(count)
        case 6: quake?.code += "+"
        case 7: quake?.region = region
        case 8: quake?.region = nil
        case 9, 10: if let quake, let tag { quake.tags.insert(tag) }
        case 11: if let quake, let tag { tag.quakes.remove(quake) }
        case 12: if let quake, let region { region.quakes.insert(quake) }
        case 13, 14: try changeStations(name, region, &generator)
        case 15...23: try changeMusic(name, &generator)
        default: try delete(quake, region, tag, &generator)
        }
    }

    private mutating func delete(
        _ quake: Quake?, _ region: Region?, _ tag: Tag?, _ generator: inout SplitMix64
    ) throws {
        let song = try all(Song.self, by: \.name).randomElement(using: &generator)
        let station = try all(Station.self, by: \.callSign).randomElement(using: &generator)
        let playlist = try all(Playlist.self) { $0.title ?? "" }.randomElement(using: &generator)
        let mix = mixes.filter { living($0) }.randomElement(using: &generator)
        // What a rule protects is not deleted: what leads to it until the save cannot once it is
        // saved.
        let region = region.flatMap { $0.stations.isEmpty ? $0 : nil }
        let victims: [ManagedObject?] = [
            quake, quake, region, tag, song, song, station, playlist, mix,
        ]
        guard let victim = victims.randomElement(using: &generator) ?? nil else { return }
        log.append("delete \(victim)")
        context.delete(victim)
    }

    private func living(_ mix: Mix) -> Bool {
        !mix.isDeleted && context.registeredObject(for: mix.objectID) === mix
    }

    private mutating func changeStations(
        _ name: String, _ region: Region?, _ generator: inout SplitMix64
    ) throws {
        let stations = try all(Station.self, by: \.callSign)
        let station = stations.randomElement(using: &generator)
        let number = Int.random(in: 0..<4, using: &generator)
        log.append("station \(number) \(station?.callSign ?? "")")
        switch number {
        case 0:
            let made =
                Bool.random(using: &generator)
                ? OceanStation(context: context) : Station(context: context)
            made.callSign = name
            made.region = region ?? context.insertRegion("for \(name)")
        case 1: if let region { station?.region = region }
        case 2: station?.backup = stations.randomElement(using: &generator)
        default: station?.backupOf = nil
        }
    }

    private mutating func changeMusic(_ name: String, _ generator: inout SplitMix64) throws {
        let songs = try all(Song.self, by: \.name)
        let playlist = try all(Playlist.self) { $0.title ?? "" }.randomElement(using: &generator)
        let mix = mixes.filter { living($0) }.randomElement(using: &generator)
        let song = songs.randomElement(using: &generator)
        let number = Int.random(in: 0..<14, using: &generator)
        log.append("music \(number) \(playlist?.title ?? "") \(song?.name ?? "")")
        switch number {
        case 0: Playlist(context: context).title = name
        case 1: mixes.append(Mix(context: context))
        case 2, 3, 4: Song(context: context).name = name
        case 5, 6: if let song { playlist?.songs.append(song) }
        case 7:
            if let song, let playlist {
                playlist.songs.insert(
                    song, at: playlist.songs.contains(song) ? 0 : playlist.songs.count / 2)
            }
        case 8: song?.playlist = nil
        case 9, 10: if let song { mix?.songs.append(song) }
        case 11: if let mix, let song { song.mixes.remove(mix) }
        case 12:
            if let playlist, playlist.songs.count > 1 {
                playlist.songs.move(from: playlist.songs.count - 1, to: 0)
            }
        default:
            if let mix, mix.songs.count > 1 { mix.songs.move(from: 0, to: mix.songs.count - 1) }
        }
    }

    // MARK: - Describing

    /// Everything in the graph as a context sees it, one line an object.
    func contents(in reader: ManagedObjectContext? = nil) throws -> [String] {
        let own = UndoGraph(reader ?? context)
        var lines: [String] = []
        for quake in try own.all(Quake.self, by: \.code) {
            let tags = quake.tags.map(\.name).sorted()
            lines.append(
                "quake \(quake.code) \(quake.magnitude) \(quake.depth ?? -1) "
                    + "\(quake.region?.name ?? "-") \(tags)")
        }
        for region in try own.all(Region.self, by: \.name) {
            let stations = region.stations.map(\.callSign).sorted()
            lines.append("region \(region.name) \(region.quakes.map(\.code).sorted()) \(stations)")
        }
        for tag in try own.all(Tag.self, by: \.name) {
            lines.append("tag \(tag.name) \(tag.quakes.map(\.code).sorted())")
        }
        for station in try own.all(Station.self, by: \.callSign) {
            lines.append(
                "station \(station.callSign) \(station.region?.name ?? "-") "
                    + "\(station.backup?.callSign ?? "-") \(station.backupOf?.callSign ?? "-")")
        }
        for playlist in try own.all(Playlist.self, by: { $0.title ?? "" }) {
            lines.append("playlist \(playlist.title ?? "-") \(playlist.songs.map(\.name))")
        }
        let numbers = Dictionary(uniqueKeysWithValues: zip(mixes.map(\.objectID), 0...))
        let number = { (mix: Mix) in numbers[mix.objectID] ?? -1 }
        for mix in try own.all(Mix.self, by: { "\(number($0))" }) {
            lines.append("mix \(number(mix)) \(mix.songs.map(\.name))")
        }
        for song in try own.all(Song.self, by: \.name) {
            lines.append(
                "song \(song.name) \(song.playlist?.title ?? "-") "
                    + "\(song.mixes.map(number).sorted())")
        }
        return lines
    }
}
