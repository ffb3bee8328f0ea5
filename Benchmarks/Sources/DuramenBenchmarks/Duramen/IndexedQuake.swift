import Duramen
import DuramenMacros
import DuramenMemory
import DuramenSQLite

/// A row of the workload with the indexes that questions need. The region is its number alone: what
/// leads elsewhere is measured by other rows.
@Managed
final class IndexedQuake: ManagedObject {
    @Attribute(.indexed) var code: String
    var place: String
    @Attribute(.indexed) var magnitude: Double
    @Attribute(.indexed) var time: Double
    var depth: Double
    var felt: Int64?
    var isReviewed: Bool
    var regionNumber: Int64
}

extension IndexedQuake {
    /// Takes over every field of a row but its identifier, which the store gives.
    func fill(_ values: QuakeValues) {
        code = values.code
        place = values.place
        magnitude = values.magnitude
        time = values.time
        depth = values.depth
        felt = values.felt
        isReviewed = values.isReviewed
        regionNumber = values.regionID
    }
}

extension Checksum {
    @inline(__always)
    mutating func add(_ quake: IndexedQuake) {
        add(
            code: quake.code, place: quake.place, magnitude: quake.magnitude, time: quake.time,
            depth: quake.depth, felt: quake.felt, isReviewed: quake.isReviewed,
            regionID: quake.regionNumber)
    }
}

extension Dataset {
    /// A container over a SQLite file with every quake and the indexes, which contestants that only
    /// read share.
    func indexedContainer() throws -> PersistentContainer {
        if let made = madeIndexedContainer { return made }
        let made = try filledContainer(
            .sqlite(emptyPath("duramen-indexed")).durability(.relaxed))
        madeIndexedContainer = made
        return made
    }

    /// A container over a store in memory with every quake, which contestants that only read share.
    func memoryContainer() throws -> PersistentContainer {
        if let made = madeMemoryContainer { return made }
        let made = try filledContainer(.memory())
        madeMemoryContainer = made
        return made
    }

    private func filledContainer(
        _ store: PersistentStoreDescription
    ) throws -> PersistentContainer {
        let container = try PersistentContainer.open(
            model: ManagedObjectModel(IndexedQuake.self), stores: [store])
        let context = container.makeContext()
        for values in quakes { IndexedQuake(context: context).fill(values) }
        try context.save()
        return container
    }
}
