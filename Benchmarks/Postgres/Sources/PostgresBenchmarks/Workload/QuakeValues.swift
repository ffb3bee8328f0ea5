/// One row of the workload as plain values.
struct QuakeValues: Sendable {
    /// 10 bytes.
    var code: String
    /// About 25 bytes, too long for a small string; one in twenty is not ASCII.
    var place: String
    var magnitude: Double
    var time: Double
    var depth: Double
    /// Null in two of three rows.
    var felt: Int64?
    var isReviewed: Bool
    /// From 0.
    var region: Int
}

/// Makes the rows of the workload, the same ones each time.
enum Workload {
    static let regionCount = 200

    static func quakes(_ count: Int) -> [QuakeValues] {
        var random = RandomNumbers(seed: 20_240_101)
        return (1...count).map { number in quake(number, &random) }
    }

    private static let towns = [
        "Honolulu", "Reykjavik", "Valparaiso", "Wellington", "Anchorage", "Kathmandu", "Yokohama",
        "Thessalonica", "Christchurch", "Portland",
    ]
    private static let accentedTowns = ["Córdoba", "İzmir", "Þingvellir", "Concepción"]
    private static let directions = ["north", "south", "east", "west"]

    private static func quake(_ number: Int, _ random: inout RandomNumbers) -> QuakeValues {
        let towns = number.isMultiple(of: 20) ? accentedTowns : towns
        // Indexes stay inside: each is drawn from the range of its own array.
        let town = towns[Int.random(in: towns.indices, using: &random)]
        let direction = directions[Int.random(in: directions.indices, using: &random)]
        let distance = Int.random(in: 10...99, using: &random)
        let digits = String(number &* 7_919 % 100_000_000)
        let zeros = String(repeating: "0", count: 8 - digits.utf8.count)
        return QuakeValues(
            code: "eq" + zeros + digits,
            place: "\(distance) km \(direction) of \(town)",
            magnitude: Double.random(in: 0..<10, using: &random),
            time: Double.random(in: 600_000_000..<800_000_000, using: &random),
            depth: Double.random(in: 0..<700, using: &random),
            felt: number.isMultiple(of: 3) ? Int64.random(in: 1...5000, using: &random) : nil,
            isReviewed: Bool.random(using: &random),
            region: Int.random(in: 0..<regionCount, using: &random))
    }
}

/// A linear congruential generator: the same numbers on every machine and in every run.
struct RandomNumbers: RandomNumberGenerator, Sendable {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        // Multiplier and increment are Knuth's (MMIX); the low bits are weak, so the high half is
        // mixed in.
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return (state ^ (state >> 29)) &* 0xD6E8_FEB8_6659_FD93 ^ (state >> 32)
    }
}

/// A sum over fields, by which contestants prove that they read the same values.
struct Checksum {
    private(set) var value = 0

    @inline(__always)
    mutating func add(
        code: Int, place: Int, magnitude: Double, time: Double, depth: Double, felt: Int64?,
        isReviewed: Bool, region: Int64
    ) {
        value &+= code &+ place &+ Int(magnitude * 1000) &+ Int(time) &+ Int(depth)
        value &+= Int(felt ?? -1) &+ (isReviewed ? 1 : 0) &+ Int(region)
    }
}
