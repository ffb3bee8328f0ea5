import Duramen
import DuramenModel
import DuramenPostgres
import DuramenSQLite
import DuramenStore
import Foundation

/// A store of quakes, in a schema of its own or in a file.
@MainActor
struct QuakeStore {
    let description: PersistentStoreDescription
    static let model = Result { try ManagedObjectModel(Quake.self, Region.self) }

    /// A store in a schema, whose name need not be quoted.
    init(_ server: String, schema: String) {
        description = .postgres(server, schema: schema).allowingUnsafeServer()
    }

    /// A store in a file.
    init(path: String) {
        description = PersistentStoreDescription.sqlite(path).durability(.relaxed)
    }

    /// Opens a container.
    func open() throws -> PersistentContainer {
        try PersistentContainer.open(model: Self.model.get(), stores: [description])
    }

    /// Makes the regions.
    static func addRegions(to container: PersistentContainer) throws -> [ManagedObjectID] {
        let context = container.makeContext()
        for number in 1...Workload.regionCount {
            Region(context: context).name = "Seismic region number \(number)"
        }
        try context.save()
        return try container.makeContext().fetchObjectIDs(FetchRequest<Region>())
    }

    /// Inserts quakes by one batch.
    static func insert(
        _ quakes: [QuakeValues], _ regions: [ManagedObjectID], into container: PersistentContainer
    ) throws {
        var next = quakes.makeIterator()
        let request = BatchInsertRequest(Quake.self) { row in
            guard let quake = next.next() else { return true }
            row[\.code] = quake.code
            row[\.place] = quake.place
            row[\.magnitude] = quake.magnitude
            row[\.time] = quake.time
            row[\.depth] = quake.depth
            row[\.felt] = quake.felt
            row[\.isReviewed] = quake.isReviewed
            row[\.region] = regions[quake.region]
            return false
        }
        try container.makeContext().execute(request)
    }

    /// Makes the store, with quakes, in place of what an earlier run may have left.
    func fill(_ quakes: [QuakeValues]) throws {
        try description.type.destroy(description)
        let container = try open()
        try Self.insert(quakes, Self.addRegions(to: container), into: container)
        try container.close()
    }
}

extension Checksum {
    /// Adds every field of an object.
    @inline(__always)
    mutating func add(_ quake: Quake) {
        add(
            code: quake.code.utf8.count, place: quake.place.utf8.count,
            magnitude: quake.magnitude, time: quake.time, depth: quake.depth, felt: quake.felt,
            isReviewed: quake.isReviewed, region: quake.region?.objectID.key ?? 0)
    }

    /// Adds every field of a row of the store.
    @inline(__always)
    mutating func add(_ row: Row) {
        add(
            code: row.unsafeBytes(0).count, place: row.unsafeBytes(5).count,
            magnitude: row.double(4), time: row.double(7), depth: row.double(1),
            felt: row.isNull(2) ? nil : row.integer(2), isReviewed: row.integer(3) != 0,
            region: row.integer(6))
    }
}
