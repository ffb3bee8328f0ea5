import DuramenModel
import DuramenQuery
import Foundation
import Testing

@Suite struct FormatRoundTripTests {
    @Test func readingWhatWasPrintedMakesTheSamePredicate() throws {
        let seed =
            ProcessInfo.processInfo.environment["DURAMEN_SEED"].flatMap(UInt64.init)
            ?? UInt64.random(in: 0 ... .max)
        print("FormatRoundTripTests seed: \(seed) (repeat with DURAMEN_SEED)")
        var trees = RandomTrees(random: SeededGenerator(state: seed))
        for _ in 0..<5_000 {
            let predicate = trees.predicate(4)
            let text = predicate.description
            do {
                let read = try FetchPredicate(text)
                #expect(read == predicate, "seed \(seed): \(text) became \(read)")
                if read != predicate { return }
            } catch {
                Issue.record("seed \(seed): \(error)\nof \(text)")
                return
            }
        }
    }

    @Test func predicatesOfEveryFormSurviveEncoding() throws {
        // JSON has no infinity.
        let encoder = JSONEncoder()
        encoder.nonConformingFloatEncodingStrategy = .convertToString(
            positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
        let decoder = JSONDecoder()
        decoder.nonConformingFloatDecodingStrategy = .convertFromString(
            positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
        var trees = RandomTrees(random: SeededGenerator(state: 11))
        for _ in 0..<200 {
            let predicate = trees.predicate(3)
            let data = try encoder.encode(predicate)
            #expect(try decoder.decode(FetchPredicate.self, from: data) == predicate)
        }
    }
}
