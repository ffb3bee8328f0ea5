/// One row of the workload as plain values.
struct QuakeValues: Sendable {
    var id: Int64
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
    var regionID: Int64
}

/// One of the 200 regions that quakes refer to.
struct RegionValues: Sendable {
    let id: Int64
    let name: String
}

/// Makes the rows of the workload, the same ones each time.
enum Workload {
    static let regionCount = 200

    static func regions() -> [RegionValues] {
        (1...regionCount).map { number in
            RegionValues(id: Int64(number), name: "Seismic region number \(number)")
        }
    }

    static func quakes(_ count: Int) -> [QuakeValues] {
        var random = RandomNumbers(seed: 20_240_101)
        return (1...count).map { number in quake(number, &random) }
    }

    /// Identifiers in random order, repeated as chance will have it.
    static func randomIdentifiers(_ count: Int, of rows: Int) -> [Int64] {
        var random = RandomNumbers(seed: 5)
        return (0..<count).map { _ in Int64.random(in: 1...Int64(rows), using: &random) }
    }

    /// Every identifier once, in random order.
    static func shuffledIdentifiers(of rows: Int) -> [Int64] {
        var random = RandomNumbers(seed: 6)
        return (1...Int64(rows)).shuffled(using: &random)
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
            id: Int64(number),
            code: "eq" + zeros + digits,
            place: "\(distance) km \(direction) of \(town)",
            magnitude: Double.random(in: 0..<10, using: &random),
            time: Double.random(in: 600_000_000..<800_000_000, using: &random),
            depth: Double.random(in: 0..<700, using: &random),
            felt: number.isMultiple(of: 3) ? Int64.random(in: 1...5000, using: &random) : nil,
            isReviewed: Bool.random(using: &random),
            regionID: Int64.random(in: 1...Int64(regionCount), using: &random))
    }
}
