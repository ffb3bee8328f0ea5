/// A set of slots, which is small and fast for entities of up to 64 slots.
public struct SlotSet: Sendable, Hashable {
    /// The bits of slots 0 to 63.
    public private(set) var low: UInt64
    private var high: [UInt64]

    /// Creates an empty set.
    public init() {
        low = 0
        high = []
    }

    /// Whether the set is empty.
    @inlinable public var isEmpty: Bool { low == 0 && !hasHighSlots }

    @usableFromInline var hasHighSlots: Bool { high.contains { $0 != 0 } }

    /// Returns whether a slot is in the set.
    public func contains(_ slot: Int) -> Bool {
        if slot < 64 { return low >> UInt64(slot) & 1 != 0 }
        let word = slot / 64 - 1
        return word < high.count && high[word] >> UInt64(slot & 63) & 1 != 0
    }

    /// Adds a slot.
    public mutating func insert(_ slot: Int) {
        if slot < 64 {
            low |= 1 << UInt64(slot)
            return
        }
        let word = slot / 64 - 1
        while high.count <= word { high.append(0) }
        high[word] |= 1 << UInt64(slot & 63)
    }

    /// Removes a slot.
    public mutating func remove(_ slot: Int) {
        if slot < 64 {
            low &= ~(1 << UInt64(slot))
        } else if contains(slot) {
            high[slot / 64 - 1] &= ~(1 << UInt64(slot & 63))
        }
    }

    /// Returns the slots of both sets.
    public func union(_ other: SlotSet) -> SlotSet {
        var result = self
        result.low |= other.low
        for slot in other.slots where slot >= 64 { result.insert(slot) }
        return result
    }

    /// The slots, ascending.
    public var slots: [Int] {
        var result: [Int] = []
        for (index, word) in ([low] + high).enumerated() {
            var rest = word
            while rest != 0 {
                result.append(index * 64 + rest.trailingZeroBitCount)
                rest &= rest - 1
            }
        }
        return result
    }

    /// Returns whether both sets have the same slots.
    public static func == (a: SlotSet, b: SlotSet) -> Bool { a.low == b.low && a.slots == b.slots }

    /// Hashes the slots.
    public func hash(into hasher: inout Hasher) { hasher.combine(slots) }
}
