/// A sum over fields, by which contestants prove that they read the same values.
///
/// Cheap beside what it proves: text counts by its length, numbers by their whole part.
struct Checksum: Sendable {
    private(set) var value = 0

    @inline(__always)
    mutating func add(
        code: String, place: String, magnitude: Double, time: Double, depth: Double, felt: Int64?,
        isReviewed: Bool, regionID: Int64
    ) {
        add(text: code)
        add(text: place)
        add(magnitude: magnitude)
        value &+= Int(time) &+ Int(depth) &+ Int(felt ?? -1) &+ (isReviewed ? 1 : 0)
        value &+= Int(regionID)
    }

    @inline(__always)
    mutating func add(_ quake: QuakeValues) {
        add(
            code: quake.code, place: quake.place, magnitude: quake.magnitude, time: quake.time,
            depth: quake.depth, felt: quake.felt, isReviewed: quake.isReviewed,
            regionID: quake.regionID)
    }

    @inline(__always)
    mutating func add(text: String) {
        value &+= text.utf8.count
    }

    @inline(__always)
    mutating func add(integer: Int64) {
        value &+= Int(integer)
    }

    @inline(__always)
    mutating func add(magnitude: Double) {
        value &+= Int(magnitude * 1000)
    }
}
