/// A sum of doubles with a single rounding at the end. It depends neither on the order of the
/// numbers nor on how they are grouped.
///
/// The sum is an integer times a power of two, in chunks of 32 bits. A chunk has more than 32 bits,
/// so that carries can wait until many numbers have been added. Numbers of similar size need few
/// chunks.
/// ```
///   sum = chunks[0] * 2^(32 * low) + chunks[1] * 2^(32 * (low + 1)) + …
/// ```
struct ExactSum: Sendable, Hashable {
    private var low = 0
    private var chunks: [Int64] = []
    // Each addition changes a chunk by less than 2^32.
    private var waiting = 0
    private var hasPositiveInfinity = false
    private var hasNegativeInfinity = false

    private static let bits = 32
    private static let mask: Int64 = 0xFFFF_FFFF
    private static let mostWaiting = 1 << 29

    init() {}

    /// Adds a double that is not NaN.
    mutating func add(_ number: Double) {
        if number == 0 { return }
        if number.isInfinite {
            if number > 0 { hasPositiveInfinity = true } else { hasNegativeInfinity = true }
            return
        }
        let isSubnormal = number.exponentBitPattern == 0
        let significand = number.significandBitPattern | (isSubnormal ? 0 : 1 << 52)
        let exponent = (isSubnormal ? 1 : Int(number.exponentBitPattern)) - 1075
        add(significand, exponent: exponent, isNegative: number < 0)
    }

    /// Adds an integer.
    mutating func add(_ number: Int128) {
        let magnitude = number.magnitude
        add(UInt64(truncatingIfNeeded: magnitude), exponent: 0, isNegative: number < 0)
        add(UInt64(truncatingIfNeeded: magnitude >> 64), exponent: 64, isNegative: number < 0)
    }

    private mutating func add(_ significand: UInt64, exponent: Int, isNegative: Bool) {
        // Shifting and masking round towards minus infinity, also for negative exponents.
        let first = exponent >> 5
        var rest = UInt128(significand) << UInt128(exponent & 31)
        cover(first...first + 2)
        for place in first - low...first - low + 2 {
            let chunk = Int64(truncatingIfNeeded: rest) & Self.mask
            chunks[place] += isNegative ? -chunk : chunk
            rest >>= UInt128(Self.bits)
        }
        waiting += 1
        if waiting == Self.mostWaiting { carry() }
    }

    private mutating func cover(_ places: ClosedRange<Int>) {
        if chunks.isEmpty { low = places.lowerBound }
        if places.lowerBound < low {
            chunks.insert(contentsOf: repeatElement(0, count: low - places.lowerBound), at: 0)
            low = places.lowerBound
        }
        while low + chunks.count <= places.upperBound { chunks.append(0) }
    }

    /// Brings every chunk within 0 and 2^32, except the last one, which may be negative.
    private mutating func carry() {
        var carried: Int64 = 0
        for place in chunks.indices {
            let sum = chunks[place] + carried
            chunks[place] = sum & Self.mask
            carried = sum >> Int64(Self.bits)
        }
        if carried != 0 { chunks.append(carried) }
        waiting = 0
    }

    // MARK: - The result

    /// The double nearest to the sum, rounded to even. Infinite if the sum is too large, and NaN if
    /// it has both infinities.
    var value: Double {
        if hasPositiveInfinity || hasNegativeInfinity {
            if hasPositiveInfinity, hasNegativeInfinity { return .nan }
            return hasPositiveInfinity ? .infinity : -.infinity
        }
        var copy = self
        copy.carry()
        let isNegative = copy.chunks.last.map { $0 < 0 } ?? false
        if isNegative {
            for place in copy.chunks.indices { copy.chunks[place].negate() }
            copy.carry()
        }
        while copy.chunks.last == 0 { copy.chunks.removeLast() }
        let magnitude = copy.magnitude
        return isNegative ? -magnitude : magnitude
    }

    /// The number, if all chunks are within bounds and the last one is not 0.
    private var magnitude: Double {
        if chunks.isEmpty { return 0 }
        var leading: UInt128 = 0
        for place in 0..<3 {
            let chunk = chunks.count > place ? chunks[chunks.count - 1 - place] : 0
            leading = leading << UInt128(Self.bits) | UInt128(chunk)
        }
        // The rest only decides whether a half is more than a half, far below the last bit that is
        // kept.
        if chunks.dropLast(3).contains(where: { $0 != 0 }) { leading |= 1 }
        let exponent = Self.bits * (low + chunks.count - 3)
        let dropped = max(0, 128 - leading.leadingZeroBitCount - 53)
        var kept = leading >> UInt128(dropped)
        if dropped > 0 {
            let rest = leading & (1 << UInt128(dropped) - 1)
            let half = UInt128(1) << UInt128(dropped - 1)
            if rest > half || rest == half && kept & 1 == 1 { kept += 1 }
        }
        return Double(sign: .plus, exponent: exponent + dropped, significand: Double(UInt64(kept)))
    }
}
