import Duramen
import DuramenLMDB
import DuramenSQLite

/// A container over a store with the regions of the workload, and its quakes once they are
/// inserted.
@MainActor
final class QuakeStore {
    private(set) var container: PersistentContainer
    private let description: PersistentStoreDescription
    private let kind: StoreKind
    private let path: String
    /// IDs of the quakes; the one of identifier `n` is at index `n - 1`.
    private(set) var quakeIDs: [ManagedObjectID] = []

    /// Makes a store with the regions only. Commits reach the disk as late as the raw loop's do,
    /// unless another durability is asked for.
    init(
        _ kind: StoreKind, path: String, regions: [RegionValues], durability: Durability = .relaxed,
        keepsHistory: Bool = false, hasChecksums: Bool = false
    ) throws {
        self.kind = kind
        self.path = path
        let plain = kind.description(path).durability(durability)
            .rowChecksums(hasChecksums)
        description = keepsHistory ? plain.keepingHistory() : plain
        container = try Self.open(description)
        let context = container.makeContext()
        for values in regions { Region(context: context).name = values.name }
        try context.save()
    }

    private static func open(
        _ description: PersistentStoreDescription
    ) throws -> PersistentContainer {
        try PersistentContainer.open(
            model: ManagedObjectModel(Quake.self, Region.self), stores: [description])
    }

    /// Closes the container and opens the store in a new one.
    func reopen() throws {
        try container.close()
        container = try Self.open(description)
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

    /// The checksum of the stored quakes. Tables of SQLite are read without Duramen; records in
    /// LMDB are of a format of its own, and are read in a new context.
    func checksum() throws -> Int {
        switch kind {
        case .sqlite: return try RawSchema.storeLayout.checksum(ofFile: path)
        case .lmdb:
            var checksum = Checksum()
            let context = container.makeContext()
            for quake in try context.fetch(FetchRequest<Quake>()) { checksum.add(quake) }
            return checksum.value
        }
    }

    /// Closes the container and removes the store.
    func destroy() throws {
        try container.close()
        let description = kind.description(path)
        try description.type.destroy(description)
    }
}

extension StoreKind {
    fileprivate func description(_ path: String) -> PersistentStoreDescription {
        switch self {
        case .sqlite: .sqlite(path)
        case .lmdb: .lmdb(path)
        }
    }
}

extension Dataset {
    /// A store with every quake, which contestants that only read share.
    func sharedQuakeStore(_ kind: StoreKind = .sqlite) throws -> QuakeStore {
        if let store = quakeStores[kind] { return store }
        let made = try filledQuakeStore("duramen-shared", kind)
        quakeStores[kind] = made
        return made
    }

    /// A store of its own with every quake.
    func filledQuakeStore(
        _ name: String, _ kind: StoreKind, _ durability: Durability = .relaxed,
        keepsHistory: Bool = false, hasChecksums: Bool = false
    ) throws -> QuakeStore {
        let store = try QuakeStore(
            kind, path: emptyPath(name, for: kind), regions: regions, durability: durability,
            keepsHistory: keepsHistory, hasChecksums: hasChecksums)
        try store.fill(quakes)
        return store
    }
}
