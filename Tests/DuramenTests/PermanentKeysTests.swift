import Testing

@testable import Duramen

@Suite struct PermanentKeysTests {
    @Test func theOldestKeysAreForgottenButForThoseThatAreNeeded() {
        var keys = PermanentKeys()
        let count = Int64(PermanentKeys.limit)
        for number in 1...count { keys.set(number * 10, for: -number) }
        #expect(keys.isOverfull)
        let needed: Set<Int64> = [50, 640_000]
        keys.forgetOldest(unless: needed.contains)
        #expect(!keys.isOverfull)
        #expect(keys[-5] == 50 && keys[-64_000] == 640_000)
        #expect(keys[-1_000] == nil && keys[-63_000] == nil)
        for number in count / 2 + 64...count { #expect(keys[-number] == number * 10) }
        // Whatever is needed is kept, and not looked through again at once.
        for number in count + 1...count * 2 { keys.set(number * 10, for: -number) }
        keys.forgetOldest { _ in true }
        #expect(!keys.isOverfull && keys[-5] == 50 && keys[-2 * count] == 20 * count)
    }
}
