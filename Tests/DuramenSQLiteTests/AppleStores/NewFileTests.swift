import DuramenModel
import DuramenSQLite
import DuramenStore
import DuramenTestKit
import Foundation
import StoreTestSupport
import Testing

/// What a new file has in common with one that Core Data makes, and what not.
@Suite struct NewFileTests {
    let folder = TemporaryFolder()

    private static let model = testModel([
        EntityDescription(
            name: "Person",
            attributes: [AttributeDescription("name", .string, isOptional: true)],
            relationships: [
                .toMany("friends", destination: "Person", inverse: "admirers"),
                .toMany("admirers", destination: "Person", inverse: "friends"),
            ]),
        EntityDescription(name: "Clerk", superentity: "Person"),
    ])

    private func make(_ name: String, hashes: AppleVersionHashes? = nil) throws -> String {
        var description = PersistentStoreDescription.sqlite(folder.file(name))
        description.appleVersionHashes = hashes
        try description.open(model: Self.model).close()
        return description.location
    }

    private func differences(_ path: String) throws -> [String] {
        try SQLiteStoreType().differencesFromCoreData(
            in: .sqlite(path).readOnly(), model: Self.model)
    }

    private static let hashes = AppleVersionHashes([
        "Person": Data(repeating: 1, count: 32), "Clerk": Data(repeating: 2, count: 32),
    ])

    @Test func aNewStoreDiffersFromCoreDatasInItsOwnTablesAndHashesOnly() throws {
        let own = [
            "\"DURAMEN_DECIMAL\": Core Data has no such table",
            "\"DURAMEN_MODEL\": Core Data has no such table",
            "\"DURAMEN_SAVE\": Core Data has no such table",
        ]
        let given = try differences(make("given.sqlite", hashes: Self.hashes))
        #expect(given == ["metadata: DuramenFormat is Duramen's"] + own)
        let without = Set(try differences(make("without.sqlite"))).subtracting(given)
        #expect(without.count == 3)
        #expect(without.allSatisfy { $0.hasPrefix("metadata: there ") })
    }

    @Test func everyDifferenceIsFound() throws {
        let path = try make("store.sqlite", hashes: Self.hashes)
        let usual = Set(try differences(path))
        let changes: [(sql: String, difference: String)] = [
            ("PRAGMA user_version=3", "file: user_version is 3, not 0"),
            ("DELETE FROM Z_MODELCACHE", "Z_MODELCACHE: there is no model"),
            ("CREATE TABLE Other (a)", "\"Other\": Core Data has no such table"),
            (
                "ALTER TABLE ZPERSON ADD COLUMN ZAGE INTEGER",
                "\"ZPERSON\": the column \"ZAGE\" INTEGER is not of the model"
            ),
            (
                "ALTER TABLE ZPERSON RENAME COLUMN ZNAME TO ZTITLE",
                "\"ZPERSON\": there is no column \"ZNAME\" VARCHAR"
            ),
            ("CREATE INDEX Z_a ON ZPERSON (Z_OPT)", "Z_a: the model has no such index"),
            ("DROP INDEX ZPERSON_Z_ENT_INDEX", "ZPERSON_Z_ENT_INDEX: there is no such index"),
            ("DROP TABLE Z_1FRIENDS", "\"Z_1FRIENDS\": there is no such table"),
            (
                "UPDATE Z_PRIMARYKEY SET Z_MAX = 7 WHERE Z_NAME = 'Person'",
                "\"ZPERSON\": Z_MAX is 7, and the highest key 0"
            ),
            (
                "INSERT INTO ZPERSON (Z_PK, Z_ENT) VALUES (7, 9)",
                "\"ZPERSON\": 1 row(s) are of no entity of it"
            ),
        ]
        for (sql, difference) in changes {
            try RawDatabase.run(path, sql)
            #expect(try differences(path).contains(difference), "\(sql)")
            #expect(!usual.contains(difference))
        }
    }

    @Test func keysThatNobodyGotAreGivenBackAtClosing() throws {
        let path = try make("store.sqlite")
        func last() throws -> [String] {
            try RawDatabase.texts(path, "SELECT Z_MAX FROM Z_PRIMARYKEY ORDER BY Z_ENT")
        }
        let description = PersistentStoreDescription.sqlite(path)
        let store = try description.open(model: Self.model)
        let person = try #require(Self.model.entity(named: "Person")).id
        #expect(try store.allocateKeys(3, for: person) == 1..<4)
        try store.close()
        #expect(try last() == ["3", "0"])
        // Keys that somebody got do not come back, whether an object has them or not.
        let again = try description.open(model: Self.model)
        #expect(try again.allocateKeys(1, for: person) == 4..<5)
        // Somebody else leased behind.
        try RawDatabase.run(path, "UPDATE Z_PRIMARYKEY SET Z_MAX = 10000 WHERE Z_MAX > 0")
        try again.close()
        #expect(try last() == ["10000", "0"])
    }

    @Test func aKeyThatSomebodyChoseKeepsTheOnesBeforeIt() throws {
        let path = try make("store.sqlite")
        let store = try PersistentStoreDescription.sqlite(path).open(model: Self.model)
        let person = try #require(Self.model.entity(named: "Person"))
        _ = try store.allocateKeys(3, for: person.id)
        // A row from elsewhere, under a key that is leased and that nobody took.
        var builder = RowBatchBuilder(capacity: 64)
        builder.beginRow(
            entity: person.id, slotCount: person.layout.slotCount, key: 50,
            version: RowVersion(rawValue: 0))
        builder.endRow()
        try store.saved(ChangeSet(inserts: RowList(builder.finish())))
        try store.close()
        let last = try RawDatabase.texts(path, "SELECT MAX(Z_MAX) FROM Z_PRIMARYKEY")
        #expect(try #require(last.first.flatMap { Int($0) }) >= 50)
    }

    @Test func hashesThatWereOfOursAreTakenOut() throws {
        let path = try make("store.sqlite", hashes: Self.hashes)
        #expect(try !differences(path).contains { $0.contains("version hashes") })
        // Given later, they are noted when the store is opened.
        let other = AppleVersionHashes([
            "Person": Data(repeating: 3, count: 32), "Clerk": Data(repeating: 4, count: 32),
        ])
        let late = try make("late.sqlite")
        #expect(try differences(late).contains { $0.contains("version hashes") })
        try PersistentStoreDescription.sqlite(late).appleVersionHashes(other)
            .open(model: Self.model).close()
        #expect(try !differences(late).contains { $0.contains("version hashes") })
        let texts = try RawDatabase.texts(late, "SELECT hex(Z_PLIST) FROM Z_METADATA")
        let list = PropertyListEntries(hexadecimal: texts.first ?? "")?.list
        #expect(list?["NSStoreModelVersionHashes"] as? [String: Data] == other.entities)
    }

    @Test(arguments: [
        (["Person": 32], "'Clerk' has none"),
        (["Person": 32, "Clerk": 32, "Dog": 32], "no entity 'Dog'"),
        (["Person": 32, "Clerk": 31], "'Clerk' has not 32 bytes"),
    ])
    func hashesOfAnotherModelAreRefused(sizes: [String: Int], reason: String) throws {
        let hashes = AppleVersionHashes(sizes.mapValues { Data(count: $0) })
        let error = try #require(
            throws: StoreError.self, performing: { _ = try make("store.sqlite", hashes: hashes) })
        #expect(error.code == .invalidRequest)
        #expect(error.message.contains(reason))
        #expect(!FileManager.default.fileExists(atPath: folder.file("store.sqlite")))
    }
}

extension CorpusStoreTests {
    @Suite(.enabled(if: Corpus.folder != nil, "\(Corpus.missing)"))
    struct AppleDigestTests {
        let folder = TemporaryFolder()

        @Test("The digests of Core Data's files are those of their hashes")
        func digests() throws {
            var (digests, checksums) = (0, 0)
            for store in Corpus.stores {
                let path = try Corpus.copy(store, to: folder)
                let texts = try RawDatabase.texts(path, "SELECT hex(Z_PLIST) FROM Z_METADATA")
                let entries = try #require(PropertyListEntries(hexadecimal: texts.first ?? ""))
                let hashes = AppleVersionHashes(
                    entries.list["NSStoreModelVersionHashes"] as? [String: Data] ?? [:])
                if let digest = entries.list["NSStoreModelVersionHashesDigest"] as? String {
                    #expect(hashes.digest == digest, "\(store)")
                    digests += 1
                }
                if let checksum = entries.list["NSStoreModelVersionChecksumKey"] as? String {
                    #expect(hashes.checksum == checksum, "\(store)")
                    checksums += 1
                }
            }
            #expect(digests >= 5 && checksums >= 1, "\(digests), \(checksums)")
        }
    }
}

/// A property list that SQL gave as digits.
struct PropertyListEntries {
    let list: [String: Any]

    init?(hexadecimal text: String) {
        var bytes: [UInt8] = []
        var digits = Substring(text)
        while let byte = UInt8(digits.prefix(2), radix: 16) {
            bytes.append(byte)
            digits = digits.dropFirst(2)
        }
        let list = try? PropertyListSerialization.propertyList(from: Data(bytes), format: nil)
        guard let list = list as? [String: Any] else { return nil }
        self.list = list
    }
}
