/// Sebastiano Vigna's SplitMix64: small, seeded, the same on every machine.
public struct SplitMix64: RandomNumberGenerator, Sendable {
    private var state: UInt64

    /// Begins the sequence of a seed.
    public init(seed: UInt64) { state = seed }

    /// Begins the sequence of one case of many, which does not depend on the others: a case can be
    /// run again alone.
    public init(seed: UInt64, case number: Int) {
        self.init(seed: seed ^ UInt64(truncatingIfNeeded: number) &* 0xD1B5_4A32_D192_ED03)
        // Case 0 begins elsewhere than the seed alone.
        _ = next()
    }

    /// The next number of the sequence.
    public mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }

    /// True once in `count` times.
    mutating func oneIn(_ count: Int) -> Bool { Int.random(in: 0..<count, using: &self) == 0 }

    package mutating func pick<T>(_ choices: [T]) -> T {
        choices[Int.random(in: 0..<choices.count, using: &self)]
    }
}
