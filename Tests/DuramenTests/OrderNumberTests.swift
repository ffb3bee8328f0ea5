import DuramenTestKit
import Testing

@testable import Duramen

struct OrderNumberTests {
    @Test func newMembersAreNumberedAsCoreDataNumbersThem() {
        #expect(OrderNumbers.assign([nil, nil, nil]) == [2_048, 3_072, 4_096])
        #expect(OrderNumbers.assign([2_048, nil, nil]) == [2_048, 3_072, 4_096])
        #expect(OrderNumbers.assign([nil, 2_048]) == [1_024, 2_048])
        #expect(OrderNumbers.assign([2_048, nil, 3_072]) == [2_048, 2_560, 3_072])
        #expect(OrderNumbers.assign([]) == [])
    }

    @Test func asFewAsPossibleGetAnotherNumber() {
        #expect(OrderNumbers.assign([5, 1, 2, 3, 4]).dropFirst() == [1, 2, 3, 4])
        #expect(OrderNumbers.assign([20, 30, 40, 10]).prefix(3) == [20, 30, 40])
        #expect(OrderNumbers.assign([10, 10, 20]).filter { $0 == 10 || $0 == 20 }.count == 2)
    }

    @Test func withoutRoomAllAreNumberedAnew() {
        #expect(OrderNumbers.assign([1, nil, 2]) == [2_048, 3_072, 4_096])
        #expect(OrderNumbers.assign([.max, nil]) == [2_048, 3_072])
        #expect(OrderNumbers.assign([nil, .min]) == [2_048, 3_072])
    }

    @Test func numbersRiseWhateverTheyWere() {
        let seed = UInt64.random(in: 0...UInt64.max)
        print("seed of order numbers: \(seed)")
        var random = SplitMix64(seed: seed)
        for _ in 0..<2_000 {
            let known = (0..<Int.random(in: 0...12, using: &random)).map { _ -> Int64? in
                switch Int.random(in: 0..<8, using: &random) {
                case 0: nil
                case 1: [.min, .max, .min + 1, .max - 1].randomElement(using: &random)
                case 2: Int64.random(in: .min ... .max, using: &random)
                default: Int64.random(in: 0...15, using: &random)
                }
            }
            let numbers = OrderNumbers.assign(known)
            #expect(numbers.count == known.count, "seed \(seed)")
            #expect(
                zip(numbers, numbers.dropFirst()).allSatisfy { $0 < $1 }, "seed \(seed): \(known)")
        }
    }

    @Test(
        arguments: [
            ("abc", "abc", "abc", "abc"), ("abc", "bca", "abc", "bca"),
            ("abc", "abc", "bca", "bca"),
            ("abc", "ac", "abcd", "acd"), ("abc", "xabc", "abcy", "xabcy"),
            ("abcd", "bcda", "dabc", "dabc"), ("abc", "", "abcd", "d"), ("", "ab", "cd", "abcd"),
            ("abc", "abxc", "acb", "acbx"), ("abc", "cab", "cba", "cba"),
        ])
    func bothSidesOfAMergeAreKept(base: String, mine: String, theirs: String, expected: String) {
        let merged = OrderMerging.merge(
            base: Array(base), mine: Array(mine), theirs: Array(theirs))
        #expect(String(merged) == expected)
    }

    @Test func aMergeHasWhatEitherSideAddedAndNothingThatOneRemoved() {
        let seed = UInt64.random(in: 0...UInt64.max)
        print("seed of order merges: \(seed)")
        var random = SplitMix64(seed: seed)
        for _ in 0..<2_000 {
            let base = Array(0..<Int.random(in: 0...8, using: &random))
            func edited(_ additions: Range<Int>) -> [Int] {
                var list = base.filter { _ in Int.random(in: 0..<5, using: &random) > 0 }
                for addition in additions where Bool.random(using: &random) {
                    list.insert(addition, at: Int.random(in: 0...list.count, using: &random))
                }
                if Bool.random(using: &random), list.count > 1 {
                    let moved = list.remove(at: Int.random(in: 0..<list.count, using: &random))
                    list.insert(moved, at: Int.random(in: 0...list.count, using: &random))
                }
                return list
            }
            let mine = edited(100..<104)
            let theirs = edited(102..<106)
            let merged = OrderMerging.merge(base: base, mine: mine, theirs: theirs)
            let expected = Set(mine).union(theirs).filter {
                !base.contains($0) || (mine.contains($0) && theirs.contains($0))
            }
            #expect(Set(merged) == expected && merged.count == expected.count, "seed \(seed)")
        }
    }
}
