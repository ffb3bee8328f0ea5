import DuramenModel
import DuramenSQLite
import DuramenStore
import DuramenTestKit
import Foundation
import StoreTestSupport
import Testing

/// A file that lost power while its log was being written back: of each sector it has the bytes
/// from before or from after.
@Suite struct TornCheckpointTests {
    let folder = TemporaryFolder()
    private static let sectorBytes = 512

    private var path: String { folder.file() }

    /// A file of which some sectors are those after a checkpoint.
    private func torn(_ before: Data, _ after: Data, _ random: inout SplitMix64) -> Data {
        let isLonger = Bool.random(using: &random)
        var file = before
        if isLonger { file.append(Data(count: max(0, after.count - before.count))) }
        let changed = stride(from: 0, to: min(file.count, after.count), by: Self.sectorBytes)
            .filter { file[$0..<$0 + Self.sectorBytes] != after[$0..<$0 + Self.sectorBytes] }
        // Now and then one sector alone is missing, or alone there.
        let one = changed.randomElement(using: &random)
        let survivors: [Int] =
            switch Int.random(in: 0..<4, using: &random) {
            case 0: changed.filter { $0 != one }
            case 1: changed.filter { $0 == one }
            default: changed.filter { _ in Bool.random(using: &random) }
            }
        for sector in survivors {
            file.replaceSubrange(
                sector..<sector + Self.sectorBytes, with: after[sector..<sector + Self.sectorBytes])
        }
        return file
    }

    /// The files of a store whose log has saves, and the number of all of them.
    private struct Moment {
        var file: Data
        var log: Data
        var labels: Int64
    }

    private func moments(_ random: inout SplitMix64) throws -> [Moment] {
        let live = folder.file("live.sqlite")
        let store = try Library.open(live, .relaxed)
        var moments: [Moment] = []
        var labels: Int64 = 0
        // After 1,024 saves the oldest are forgotten.
        if Bool.random(using: &random) {
            for _ in 0..<1_100 {
                try store.insert("Book", ["pages": .integer(labels)])
                labels += 1
            }
            _ = try store.maintainIfCapable()
        }
        for _ in 0..<(isSlice ? 2 : repetitions(12)) {
            for _ in 0..<Int.random(in: 1...40, using: &random) {
                let title = String(repeating: "t", count: Int.random(in: 0...300, using: &random))
                try store.insert(
                    "Book", ["pages": .integer(labels), "title": .text(StoredText(title))])
                labels += 1
                // The row about the store moves within its page.
                if Int.random(in: 0..<8, using: &random) == 0 {
                    let note = String(repeating: "n", count: Int(labels) % 90)
                    try store.saved(ChangeSet(metadata: ["note": .text(StoredText(note))]))
                }
            }
            moments.append(
                Moment(
                    file: try FilesOfStore.content(live),
                    log: try FilesOfStore.content(live + "-wal"), labels: labels))
            if Bool.random(using: &random) { _ = try store.maintainIfCapable() }
        }
        try store.close()
        return moments
    }

    @Test func aCheckpointThatTheDiskHasInPartIsCompletedFromTheLog() throws {
        var random = SplitMix64(seed: randomSeed())
        for (number, moment) in try moments(&random).enumerated() {
            try FilesOfStore.place(moment.file, beside: moment.log, at: path)
            _ = try RawDatabase.texts(path, "PRAGMA wal_checkpoint(TRUNCATE)")
            let after = try FilesOfStore.content(path)
            for _ in 0..<20 {
                let file = torn(moment.file, after, &random)
                try FilesOfStore.place(file, beside: moment.log, at: path)
                #expect(
                    try FilesOfStore.labels(path) == Array(0..<moment.labels), "moment \(number)")
                #expect(try RawDatabase.texts(path, "PRAGMA integrity_check") == ["ok"])
            }
        }
    }
}
