import Duramen
import DuramenSQLite

/// A container over a file with the regions of the workload, and its quakes once they are inserted.
@MainActor
final class QuakeStore {
    let container: PersistentContainer
    private let path: String
    /// IDs of the quakes; the one of identifier `n` is at index `n - 1`.
    private(set) var quakeIDs: [ManagedObjectID] = []

    /// Makes a file with the regions only. Commits reach the disk as late as the raw loop's do.
    init(path: String, regions: [RegionValues]) throws {
        self.path = path
        container = try PersistentContainer.open(
            model: ManagedObjectModel(Quake.self, Region.self),
            stores: [.sqlite(path).durability(.relaxed)])
        let context = container.makeContext()
        for values in regions { Region(context: context).name = values.name }
        try context.save()
    }

    /// Inserts quakes and saves once, in a context of its own.
    func insert(_ quakes: [QuakeValues]) throws {
        let context = container.makeContext()
        // By ID without a sort key, and so in the order in which they were inserted.
        let regions = try context.fetch(FetchRequest<Region>())
        for values in quakes {
            Quake(context: context).fill(values, region: regions[Int(values.regionID) - 1])
        }
        try context.save()
    }

    /// Inserts quakes and remembers their IDs.
    func fill(_ quakes: [QuakeValues]) throws {
        try insert(quakes)
        quakeIDs = try container.makeContext().fetchObjectIDs(FetchRequest<Quake>())
    }

    /// The IDs of quakes by their identifiers in the workload.
    func ids(of identifiers: [Int64]) -> [ManagedObjectID] {
        identifiers.map { quakeIDs[Int($0) - 1] }
    }

    /// The checksum of the file's quakes, read without Duramen.
    func checksum() throws -> Int {
        try RawSchema.storeLayout.checksum(ofFile: path)
    }

    /// Closes the container and removes the file.
    func destroy() throws {
        try container.close()
        try SQLiteStoreType().destroy(.sqlite(path))
    }
}

extension Dataset {
    /// A store with every quake, which contestants that only read share.
    func sharedQuakeStore() throws -> QuakeStore {
        if let quakeStore { return quakeStore }
        let made = try filledQuakeStore("duramen-shared")
        quakeStore = made
        return made
    }

    /// A store of its own with every quake.
    func filledQuakeStore(_ name: String) throws -> QuakeStore {
        let store = try QuakeStore(path: emptyFile(name), regions: regions)
        try store.fill(quakes)
        return store
    }
}
