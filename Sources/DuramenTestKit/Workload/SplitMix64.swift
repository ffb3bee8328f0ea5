/// Sebastiano Vigna's SplitMix64: small, seeded, and equal on every machine.
public struct SplitMix64: RandomNumberGenerator, Sendable {
    private var state: UInt64

    /// Creates the sequence of a seed.
    public init(seed: UInt64) { state = seed }

    /// Creates the sequence of one case of many. It does not depend on other cases, so a case can
    /// be run again alone.
    public init(seed: UInt64, case number: Int) {
        self.init(seed: seed ^ UInt64(truncatingIfNeeded: number) &* 0xD1B5_4A32_D192_ED03)
        // Case 0 must differ from the sequence of the seed alone.
        _ = next()
    }

    /// Returns the next number of the sequence.
    public mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }

    /// Returns true once in `count` times.
    mutating func oneIn(_ count: Int) -> Bool { Int.random(in: 0..<count, using: &self) == 0 }

    /// Returns a random element of an array that is not empty.
    package mutating func pick<T>(_ choices: [T]) -> T {
        choices[Int.random(in: 0..<choices.count, using: &self)]
    }
}
