/// A set of slots, small and cheap for entities of up to 64.
public struct SlotSet: Sendable, Hashable {
    /// Slots 0 to 63, one bit each.
    public private(set) var low: UInt64
    private var high: [UInt64]

    /// Makes an empty set.
    public init() {
        low = 0
        high = []
    }

    /// Whether no slot is in the set.
    @inlinable public var isEmpty: Bool { low == 0 && !hasHighSlots }

    @usableFromInline var hasHighSlots: Bool { high.contains { $0 != 0 } }

    /// Whether a slot is in the set.
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

    /// Takes a slot out.
    public mutating func remove(_ slot: Int) {
        if slot < 64 {
            low &= ~(1 << UInt64(slot))
        } else if contains(slot) {
            high[slot / 64 - 1] &= ~(1 << UInt64(slot & 63))
        }
    }

    /// The slots of both sets.
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

    /// True when both sets hold the same slots.
    public static func == (a: SlotSet, b: SlotSet) -> Bool { a.low == b.low && a.slots == b.slots }

    /// Feeds the slots.
    public func hash(into hasher: inout Hasher) { hasher.combine(slots) }
}
