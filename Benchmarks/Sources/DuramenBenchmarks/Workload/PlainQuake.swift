/// A quake as an object without any store: what objects cost in Swift at all.
final class PlainQuake {
    let id: Int64
    let code: String
    let place: String
    var magnitude: Double
    let time: Double
    let depth: Double
    let felt: Int64?
    let isReviewed: Bool
    let region: PlainRegion

    init(_ values: QuakeValues, region: PlainRegion) {
        id = values.id
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

/// A region as an object without any store.
final class PlainRegion {
    let id: Int64
    let name: String

    init(_ values: RegionValues) {
        id = values.id
        name = values.name
    }

    /// The regions of the workload; the region of identifier `n` is at index `n - 1`.
    static func all() -> [PlainRegion] {
        Workload.regions().map(PlainRegion.init)
    }
}

extension Checksum {
    @inline(__always)
    mutating func add(_ quake: PlainQuake) {
        add(
            code: quake.code, place: quake.place, magnitude: quake.magnitude, time: quake.time,
            depth: quake.depth, felt: quake.felt, isReviewed: quake.isReviewed,
            regionID: quake.region.id)
    }
}
