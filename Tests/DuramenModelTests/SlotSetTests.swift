import DuramenModel
import Testing

struct SlotSetTests {
    @Test func aNewSetIsEmpty() {
        let set = SlotSet()
        #expect(set.isEmpty && set.slots.isEmpty && set.low == 0)
        #expect(!set.contains(0) && !set.contains(63) && !set.contains(64) && !set.contains(5_000))
    }

    @Test func setsThatOnceHeldMoreEqualThoseThatDidNot() {
        var set = SlotSet()
        set.insert(500)
        set.remove(500)
        set.remove(9_000)
        #expect(set.isEmpty && set == SlotSet() && set.hashValue == SlotSet().hashValue)
    }

    @Test func theLowWordHasTheFirst64Slots() {
        var set = SlotSet()
        for slot in [0, 63, 64] { set.insert(slot) }
        #expect(set.low == 0x8000_0000_0000_0001)
        #expect(set.slots == [0, 63, 64])
    }

    @Test func randomEditsGiveWhatASetGives() {
        var random = SeededRandom()
        var set = SlotSet()
        var model: Set<Int> = []
        for _ in 0..<3_000 {
            let slot = Int.random(in: 0..<200, using: &random)
            if Bool.random(using: &random) {
                set.insert(slot)
                model.insert(slot)
            } else {
                set.remove(slot)
                model.remove(slot)
            }
            #expect(set.contains(slot) == model.contains(slot), "seed \(random.seed)")
            #expect(set.isEmpty == model.isEmpty, "seed \(random.seed)")
        }
        #expect(set.slots == model.sorted(), "seed \(random.seed)")
        var other = SlotSet()
        for slot in model.sorted().reversed() { other.insert(slot) }
        #expect(set == other && set.hashValue == other.hashValue, "seed \(random.seed)")
    }
}
