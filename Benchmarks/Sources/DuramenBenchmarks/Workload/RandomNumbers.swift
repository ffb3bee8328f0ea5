/// A linear congruential generator: the same numbers on every machine and in every run.
///
/// Multiplier and increment are Knuth's (MMIX); the low bits are weak, so the high half is
/// mixed in.
struct RandomNumbers: RandomNumberGenerator, Sendable {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed
    }

    mutating func next() -> UInt64 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return (state ^ (state >> 29)) &* 0xD6E8_FEB8_6659_FD93 ^ (state >> 32)
    }
}
