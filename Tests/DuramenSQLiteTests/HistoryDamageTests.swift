import DuramenModel
import DuramenSQLite
import DuramenStore
import DuramenTestKit
import Foundation
import StoreTestSupport
import Testing

/// Damaged tables of a history: whoever reads them page by page comes to an end.
@Suite struct HistoryDamageTests {
    let folder = TemporaryFolder()

    /// The bytes of a store with a history, and where the pages of its history begin.
    private func makeStore(transactions: Int) throws -> (bytes: [UInt8], pages: [Int]) {
        let store = try PersistentStoreDescription.sqlite(folder.file()).keepingHistory()
            .durability(.unsafeNoSync).open(model: Library.model)
        for number in 0..<transactions {
            try store.insert("Book", ["pages": .integer(Int64(number))])
        }
        try store.close()
        let roots = try RawDatabase.texts(
            folder.file(),
            "SELECT rootpage FROM sqlite_master WHERE type = 'table' "
                + "AND name IN ('ATRANSACTION', 'ACHANGE') ORDER BY name DESC")
        return (
            Array(try Data(contentsOf: URL(fileURLWithPath: folder.file()))),
            roots.compactMap { Int($0) }.map { ($0 - 1) * 4_096 }
        )
    }

    /// Where a leaf's cell has its key: behind its size, which has two bytes at most here.
    ///
    /// SQLite: the count of cells is at 3, their places begin at 8 (fileformat2.html).
    private func placeOfKey(_ cell: Int, _ page: Int, _ bytes: [UInt8]) -> Int {
        let place = page + 8 + 2 * cell
        let start = page + Int(bytes[place]) << 8 + Int(bytes[place + 1])
        // Damage may have moved it anywhere.
        guard start < bytes.count - 2 else { return page }
        return bytes[start] < 0x80 ? start + 1 : start + 2
    }

    /// Gives many cells of a leaf other keys.
    ///
    /// - Returns: A place where a byte may be changed.
    private func scramble(_ page: Int, _ bytes: inout [UInt8], _ random: inout SplitMix64) -> Int {
        for cell in 0..<40 where bytes[page] == 13 && random.next() % 2 == 0 {
            let place = placeOfKey(cell, page, bytes)
            if place < bytes.count { bytes[place] = UInt8.random(in: 0..<128, using: &random) }
        }
        return page + 100
    }

    /// Reads the history in pages of three, as many as there can be.
    ///
    /// - Returns: The code of an error; nil for a history that ends.
    private func readAll(_ bytes: [UInt8], transactions: Int) throws -> StoreError.Code? {
        let path = folder.file("damaged.sqlite")
        try Data(bytes).write(to: URL(fileURLWithPath: path))
        return storeErrorCode {
            let store = try PersistentStoreDescription.sqlite(path).readOnly()
                .open(model: Library.model)
            defer { try? store.close() }
            let history = try store.historyTracking()
            var after = try history.historyExtent()?.deletedThrough ?? 0
            for _ in 0...transactions {
                let page = try history.history(HistoryRequest(after: after, limit: 3))
                guard let last = page.last else { return }
                after = last.transactionNumber
            }
            Issue.record("the history does not end")
        }
    }

    @Test func transactionsOutOfOrderAreCalledDamaged() throws {
        var (bytes, pages) = try makeStore(transactions: 3)
        #expect(try readAll(bytes, transactions: 3) == nil)
        // Of 1, 2 and 3 the second says that it is the hundredth.
        bytes[placeOfKey(1, pages[0], bytes)] = 100
        #expect(try readAll(bytes, transactions: 3) == .damagedFile)
    }

    @Test func aDamagedHistoryOfAnyKindIsReadToAnEnd() throws {
        var random = SplitMix64(seed: randomSeed())
        let (bytes, pages) = try makeStore(transactions: 60)
        var codes: [StoreError.Code?: Int] = [:]
        for _ in 0..<repetitions(200) {
            var damaged = bytes
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                let page = random.pick(pages)
                let cells = Int(damaged[page + 3]) << 8 + Int(damaged[page + 4])
                let cell = Int.random(in: 0..<max(1, min(cells, 60)), using: &random)
                let place =
                    switch Int.random(in: 0..<5, using: &random) {
                    case 4: scramble(page, &damaged, &random)
                    case 0: page + Int.random(in: 0..<128, using: &random)
                    case 1: page + Int.random(in: 0..<4_096, using: &random)
                    default: min(placeOfKey(cell, page, damaged), damaged.count - 1)
                    }
                damaged[place] = UInt8.random(in: 0...255, using: &random)
            }
            codes[try readAll(damaged, transactions: 20_000), default: 0] += 1
        }
        #expect(
            Set(codes.keys).isSubset(of: [nil, .damagedFile, .historyTokenExpired]), "\(codes)")
    }
}
