import DuramenModel
import DuramenStore
import DuramenTestKit
import Foundation
import StoreTestSupport
import Testing

@testable import DuramenLMDB

/// What a verification sees: everything that an answer depends on.
@Suite struct VerificationTests {
    private let folder = TemporaryFolder()

    private static func findings(_ store: any PersistentStore) throws -> [VerificationFinding] {
        try StoreVerification(of: store).run()
    }

    @Test("Nothing is found in a sound store, whoever opens it")
    func soundStore() throws {
        try DamageTests.makeStore(folder.file(), keepsHistory: true)
        for isReadOnly in [false, true] {
            var description = PersistentStoreDescription.lmdb(folder.file())
            if isReadOnly { description = description.readOnly() }
            let store = try description.open(model: Library.model)
            #expect(try Self.findings(store) == [])
            try store.close()
        }
    }

    @Test(
        "No flipped bit gives a wrong answer, and none that an answer depends on passes a verification"
    )
    func flippedBits() async throws {
        let seed = randomSeed()
        let count = repetitions(150)
        try DamageTests.makeStore(folder.file(), keepsHistory: true)
        try await expectNoWrongAnswer { data in
            var random = SplitMix64(seed: seed)
            return (0..<count).map { _ in Int.random(in: 0..<data.count * 8, using: &random) }
        }
    }

    @Test("No flipped bit of a name gives a wrong answer")
    func flippedNames() async throws {
        try DamageTests.makeStore(folder.file(), keepsHistory: true)
        try await expectNoWrongAnswer { data in
            let names =
                ["meta", "saves", "newest", "index", "edges", "history", "rows-"]
                + ["identity", "catalog", "indexes", "keys.", "userInfo.", "model."]
            // One bit of each byte, or of each tenth byte under a sanitizer.
            return names.flatMap { DamageTests.ranges(of: Data($0.utf8), in: data) }
                .flatMap { range in range.map { $0 * 8 + $0 % 8 } }
                .enumerated().filter { !isSlice || $0.offset % 10 == 0 }.map(\.element)
        }
    }

    /// Flips one bit after the other in another process, and expects that each time the store is
    /// refused, or answers rightly, or that an error while it answers is also a finding.
    ///
    /// - Parameter bits: Chooses the bits, by the contents of the file.
    private func expectNoWrongAnswer(_ bits: (Data) -> [Int]) async throws {
        let path = folder.path
        let data = try Data(contentsOf: URL(filePath: StoreFolder(folder.file()).data))
        let bits = bits(data)
        try #require(!bits.isEmpty)
        await #expect(processExitsWith: .success) {
            [path = path as String, bits = bits as [Int]] in
            let place = try StoreFolder(path + "/library.lmdb")
            let description = PersistentStoreDescription.lmdb(place.path).readOnly()
            let sound = try description.open(model: Library.model)
            let expected = try DamageTests.contents(sound)
            try sound.close()
            var counts: [String: Int] = [:]
            for bit in bits {
                func turn() throws {
                    try rot(place.data) { $0[bit / 8] ^= 1 << UInt8(bit % 8) }
                }
                try turn()
                // Read by the test when this process dies.
                try writeFile(path + "/progress", "bit \(bit)")
                var answer = "refused"
                do {
                    let store = try description.open(model: Library.model)
                    defer { try? store.close() }
                    do {
                        answer = try DamageTests.contents(store) == expected ? "right" : "wrong"
                    } catch {
                        answer = "error"
                    }
                    let found = try VerificationTests.findings(store)
                    if answer == "wrong" || answer == "error" && found.isEmpty {
                        try writeFile(path + "/progress", "bit \(bit): \(answer), \(found)")
                        throw CocoaError(.fileReadCorruptFile)
                    }
                    counts[found.isEmpty ? answer : answer + ", found", default: 0] += 1
                } catch is StoreError {
                    counts["refused", default: 0] += 1
                }
                try turn()
            }
            try writeFile(path + "/progress", "all: \(counts)")
        }
        let progress = try String(contentsOfFile: folder.file("progress"), encoding: .utf8)
        print(progress)
        #expect(progress.hasPrefix("all: "))
    }

    /// Changes a store by the engine alone, and expects findings of some kinds.
    private func expectFindings(
        _ kinds: Set<VerificationFinding.Kind>,
        _ change: (Transaction, StoreSchema) throws(StoreError) -> Void
    ) throws {
        let path = folder.file("\(UUID().uuidString).lmdb")
        try DamageTests.makeStore(path)
        let model = Library.model
        try RawEnvironment.write(path) { (transaction) throws(StoreError) in
            try change(
                transaction, ModelCheck(transaction, model: model, path: path).schema())
        }
        let store = try PersistentStoreDescription.lmdb(path).readOnly().open(model: model)
        let found = try Self.findings(store)
        #expect(kinds.isSubset(of: Set(found.map(\.kind))), "\(found)")
        try store.close()
    }

    @Test("Entries that are lost, rows that are lost, and pairs of one side are found")
    func lostRecords() throws {
        try expectFindings([.index]) { (transaction, schema) throws(StoreError) in
            let cursor = try transaction.cursor(schema.tables.index)
            if try cursor.first() != nil { try cursor.removeCurrent() }
        }
        try expectFindings([.pair]) { (transaction, schema) throws(StoreError) in
            let cursor = try transaction.cursor(schema.tables.edges)
            if try cursor.first() != nil { try cursor.removeCurrent() }
        }
        try expectFindings([.index, .pair]) { (transaction, schema) throws(StoreError) in
            guard let book = schema.model.entity(named: "Book") else { return }
            try transaction.remove(1, from: schema.places[book.id.index].rows)
        }
    }
}
