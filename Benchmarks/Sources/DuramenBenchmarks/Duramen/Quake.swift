import Duramen
import DuramenMacros

/// A row of the workload as a managed object.
@Managed
final class Quake: ManagedObject {
    var code: String
    var place: String
    var magnitude: Double
    var time: Double
    var depth: Double
    var felt: Int64?
    var isReviewed: Bool
    @Relationship var region: Region?
}

/// A region of the workload as a managed object.
@Managed
final class Region: ManagedObject {
    var name: String
    @Relationship(inverse: \Quake.region) var quakes: ToMany<Quake>
}

extension Quake {
    /// Takes over every field of a row but its identifier, which the store gives.
    @inline(__always)
    func fill(_ values: QuakeValues, region: Region) {
        code = values.code
        place = values.place
        magnitude = values.magnitude
        time = values.time
        depth = values.depth
        felt = values.felt
        isReviewed = values.isReviewed
        self.region = region
    }
}

extension Checksum {
    /// Adds every field. The key of a region is the identifier that it has in the workload, since
    /// regions are inserted in that order.
    @inline(__always)
    mutating func add(_ quake: Quake) {
        add(
            code: quake.code, place: quake.place, magnitude: quake.magnitude, time: quake.time,
            depth: quake.depth, felt: quake.felt, isReviewed: quake.isReviewed,
            regionID: quake.region?.objectID.key ?? 0)
    }
}
