import DuramenFileStore
import DuramenModel
import DuramenStore
import Foundation
import StoreTestSupport
import Testing

@testable import DuramenLMDB

/// Where saves are found by their identifiers.
@Suite struct SaveLogTests {
    let folder = TemporaryFolder()

    /// Saves a tag, and tells the save's identifier.
    private func save(_ store: any PersistentStore) throws -> UUID {
        let key = try store.allocateKeys(1, for: store.entity("Tag").id).lowerBound
        let label = StoredValue.text(StoredText("\(key)"))
        let changes = ChangeSet(inserts: [try store.row("Tag", key: key, ["label": label])])
        try store.saved(changes)
        return changes.identifier
    }

    @Test("Each of the last thousand saves is found, and the numbers have no gap")
    func remembering() throws {
        var store = try Library.open(folder.file())
        var identifiers: [UUID] = []
        let first = try store.snapshot().generation.rawValue
        for number in 1...1_200 {
            identifiers.append(try save(store))
            if number % 311 == 0 {
                try store.close()
                store = try Library.open(folder.file())
            }
        }
        #expect(try store.snapshot().generation.rawValue == first + 1_200)
        for (place, identifier) in identifiers.enumerated().suffix(Int(SaveLog.rememberedCount)) {
            #expect(
                try store.generation(ofSave: identifier)?.rawValue == first + Int64(place) + 1)
        }
        #expect(try store.generation(ofSave: identifiers[0]) == nil)
        #expect(try store.generation(ofSave: UUID()) == nil)
        try store.close()
        // Those that are too old go in groups.
        try change { (log, saves, _) throws(StoreError) in
            #expect(log.count(saves) <= Int(SaveLog.rememberedCount) + 64)
        }
    }

    @Test(
        "A store of the first format is read as it is, and is of the present one once it is written"
    )
    func theFirstFormat() throws {
        var store = try Library.open(folder.file())
        let identifiers = try (1...5).map { _ in try save(store) }
        let generation = try store.snapshot().generation
        try store.close()
        try change { (transaction, saves, main) throws(StoreError) in
            let key = Table.Name.newestSaves
            let record = try key.withBytes { (key) throws(StoreError) in
                Array(
                    try transaction.value(of: key, in: main)
                        ?? UnsafeRawBufferPointer(start: nil, count: 0))
            }
            let cursor = try transaction.cursor(saves)
            for start in stride(from: 4, to: record.count, by: 24) {
                let number = record[start..<start + 8].withUnsafeBytes {
                    $0.loadUnaligned(as: Int64.self)
                }
                let identifier = record[start + 8..<start + 24]
                let sum = withUnsafeBytes(of: number) { number in
                    identifier.withUnsafeBytes { Checksum.of(number, then: $0) }
                }
                let memory = try cursor.reserve(20, for: number, appends: true)
                memory?.copyBytes(from: withUnsafeBytes(of: sum) { Array($0) } + identifier)
            }
            _ = try key.withBytes { (key) throws(StoreError) in
                try transaction.remove(key, from: main)
            }
            let meta = try ModelCheck.meta(transaction, path: folder.file())
            guard var identity = try meta.identity() else { return }
            identity.format = 1
            try meta.set(identity)
        }
        let reading = try PersistentStoreDescription.lmdb(folder.file()).readOnly()
            .open(model: Library.model)
        #expect(try reading.snapshot().generation == generation)
        try reading.close()
        #expect(try format() == 1)
        store = try Library.open(folder.file())
        #expect(try format() == MetaTable.formatVersion)
        let last = try save(store)
        #expect(try store.snapshot().generation.rawValue == generation.rawValue + 1)
        for identifier in identifiers + [last] {
            #expect(try store.generation(ofSave: identifier) != nil)
        }
        try store.close()
    }

    @Test("A damaged record of the newest saves is told", arguments: [0, 4, 12, 27])
    func damage(place: Int) throws {
        let store = try Library.open(folder.file())
        _ = try save(store)
        try store.close()
        try change { (transaction, _, main) throws(StoreError) in
            try Table.Name.newestSaves.withBytes { (key) throws(StoreError) in
                guard let found = try transaction.value(of: key, in: main) else { return }
                var record = Array(found)
                record[place] ^= 1
                try record.withBytes { (record) throws(StoreError) in
                    try transaction.put(record, for: key, in: main)
                }
            }
        }
        let opened = try Library.open(folder.file())
        #expect(storeErrorCode { try opened.snapshot() } == .damagedFile)
        #expect(storeErrorCode { try save(opened) } == .damagedFile)
        try opened.close()
    }

    /// - Parameter body: Gets the table of the older saves and the main one.
    private func change(
        _ body: (Transaction, Table, Table) throws(StoreError) -> Void
    ) throws {
        try RawEnvironment.write(folder.file()) { (transaction) throws(StoreError) in
            guard let saves = try transaction.table(Table.Name.saves, hasIntegerKeys: true) else {
                throw StoreError(.io, "no table")
            }
            try body(transaction, saves, try transaction.mainTable())
        }
    }

    private func format() throws -> Int {
        let description = PersistentStoreDescription.lmdb(folder.file())
        let report = try LMDBStoreType().report(on: description, checks: false)
        return report.writer == "Duramen, format \(MetaTable.formatVersion)"
            ? MetaTable.formatVersion : 1
    }
}
