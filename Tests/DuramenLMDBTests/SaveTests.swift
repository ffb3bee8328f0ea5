import DuramenFileStore
import DuramenModel
import DuramenQuery
import DuramenStore
import Foundation
import StoreTestSupport
import Testing

@testable import DuramenLMDB

/// What saves write, beyond the laws that every store keeps.
@Suite struct SaveTests {
    let folder = TemporaryFolder()

    private func open(timeoutSeconds: Double = 60) throws -> any PersistentStore {
        try Library.open(folder.file(), .relaxed, timeoutSeconds: timeoutSeconds)
    }

    @Test("An object that occurs twice in a change set is refused")
    func repeatedObjects() throws {
        let store = try open()
        let id = try store.insert("Book", ["code": .text("a"), "pages": .integer(1)])
        let update = try store.update(id, ["pages": .integer(2)])
        let deletion = RowDeletion(id: id, baseVersion: update.baseVersion)
        for changes in [
            ChangeSet(updates: [update, update]), ChangeSet(deletes: [deletion, deletion]),
            ChangeSet(updates: [update], deletes: [deletion]),
        ] {
            let error = #expect(throws: StoreError.self) { try store.save(changes) }
            #expect(error?.code == .invalidRequest && error?.objectID == id)
        }
        #expect(try store.value(id, "pages") == .integer(1))
        try store.close()
    }

    @Test("A key that is used again gets a version that it never had")
    func versions() throws {
        let store = try open()
        let id = try store.insert("Tag", ["label": .text("1")])
        var seen: Set<RowVersion> = []
        for round in 0..<3 {
            let version = try #require(store.snapshot().rows(for: [id]).first).version
            #expect(seen.insert(version).inserted)
            let receipt = try store.saved(
                ChangeSet(updates: [try store.update(id, ["label": .text(StoredText("\(round)"))])])
            )
            #expect(seen.insert(receipt.updatedVersions[0]).inserted)
            try store.delete(id)
            try store.saved(ChangeSet(inserts: [try store.row("Tag", key: id.key, [:])]))
        }
        try store.close()
    }

    @Test("Inserting under a key in use is refused, and nothing of the save stays")
    func keyInUse() throws {
        let store = try open()
        let id = try store.insert("Tag")
        let rows = [
            try store.row("Tag", key: id.key + 1, [:]), try store.row("Tag", key: id.key, [:]),
        ]
        let error = #expect(throws: StoreError.self) {
            try store.save(ChangeSet(inserts: RowList(rows)))
        }
        #expect(error?.code == .invalidRequest && error?.objectID == id)
        #expect(try store.snapshot().count(store.query("Tag")) == 1)
        try store.close()
    }

    @Test("Keys that came from elsewhere are not handed out again, up to the last one")
    func foreignKeys() throws {
        let store = try open()
        let entity = try store.entity("Tag").id
        try store.saved(ChangeSet(inserts: [try store.row("Tag", key: 100_000, [:])]))
        try store.close()
        let again = try open()
        #expect(try again.allocateKeys(1, for: entity).lowerBound > 100_000)
        try again.saved(ChangeSet(inserts: [try again.row("Tag", key: .max, [:])]))
        try again.close()
        let last = try open()
        #expect(storeErrorCode { try last.allocateKeys(1, for: entity) } == .tooLarge)
        #expect(storeErrorCode { try last.allocateKeys(-1, for: entity) } == .invalidRequest)
        try last.close()
    }

    @Test("Two stores that hand out keys in turn never hand out the same")
    func leases() throws {
        let first = try open()
        let second = try open()
        let entity = try first.entity("Tag").id
        var seen: Set<Int64> = []
        for count in [1, 255, 3, 1_000, 1, 256, 0] {
            for store in [first, second] {
                for key in try store.allocateKeys(count, for: entity) {
                    #expect(seen.insert(key).inserted)
                }
            }
        }
        try first.close()
        try second.close()
    }

    @Test("Metadata of every kind travels with the save, and null takes an entry away")
    func metadata() throws {
        let store = try open()
        let values: [String: StoredValue] = [
            "text": .text("a\0\u{e9}"), "double": .double(.infinity), "low": .double(-.infinity),
            "date": .date(Date(timeIntervalSinceReferenceDate: 0.1)), "": .integer(.min),
            "bytes": .binary(Data([1])), "flag": .boolean(true), "whole": .integer(.max),
            "id": .uuid(UUID()), "exact": .decimal(try #require(Decimal(string: "1.5"))),
            "uri": .uri("a:b"), "e\u{301}": .integer(2), "a\0b": .integer(3),
        ]
        try store.saved(ChangeSet(metadata: values))
        #expect(try store.metadata().userInfo == values)
        try store.saved(ChangeSet(metadata: ["text": .null, "never": .null]))
        #expect(try store.metadata().userInfo.count == values.count - 1)
        let long = String(repeating: "n", count: 600)
        let code = storeErrorCode { try store.saved(ChangeSet(metadata: [long: .integer(1)])) }
        #expect(code == .tooLarge)
        #expect(try store.metadata().userInfo.count == values.count - 1)
        try store.close()
    }

    @Test("A raised flag ends the save before the commit")
    func cancellation() throws {
        let store = try open()
        let flag = CancellationFlag()
        flag.cancel()
        let changes = ChangeSet(metadata: ["a": .integer(1)], cancellation: flag)
        #expect(storeErrorCode { try store.saved(changes) } == .cancelled)
        #expect(try store.metadata().userInfo.isEmpty)
        try store.close()
    }

    @Test("Saves from many threads all arrive, and keep every index right")
    func threads() async throws {
        let store = try open()
        let person = try store.insert("Person")
        try await withThrowingTaskGroup(of: Void.self) { group in
            for thread in 0..<4 {
                group.addTask {
                    for number in 0..<20 {
                        try store.insert(
                            "Book",
                            [
                                "code": .text(StoredText("\(thread) \(number)")),
                                "title": .text("title"), "author": .objectID(person),
                            ])
                        let query = try store.query(
                            "Book", compare("title", .equal, .text("title")))
                        _ = try store.snapshot().count(query)
                    }
                }
            }
            try await group.waitForAll()
        }
        let books = try store.relationship("books", of: "Person")
        #expect(try store.snapshot().destinations(of: books, from: [person])[0].count == 80)
        #expect(
            try store.keys(store.query("Book", compare("code", .equal, .text("3 7")))).count == 1)
        try store.close()
    }

    @Test("A held lock file is busy at the deadline, and reading goes on")
    func aHeldLock() throws {
        let store = try open(timeoutSeconds: 0.2)
        try store.insert("Tag")
        let other = try StoreFileLock(storePath: folder.file(), timeoutSeconds: 0)
        try other.acquire()
        #expect(storeErrorCode { try store.insert("Tag") } == .storeBusy)
        #expect(storeErrorCode { try open(timeoutSeconds: 0.2).close() } == .storeBusy)
        #expect(try store.snapshot().count(store.query("Tag")) == 1)
        // An index that cannot be made at the moment is done without.
        let person = ManagedObjectID(
            store: store.handle, entity: try store.entity("Person").handle, key: 1)
        let books = try store.relationship("books", of: "Person")
        #expect(try store.snapshot().destinations(of: books, from: [person]) == [[]])
        other.release()
        try store.insert("Tag")
        try store.close()
    }

    @Test("A save of another process is in the next snapshot, and keys go on behind it")
    func anotherProcess() async throws {
        let path = folder.file()
        let store = try open()
        let tag = try store.insert("Tag", ["label": .text("a")])
        let before = try store.snapshot()
        await #expect(processExitsWith: .success) { [path = path as String] in
            let other = try Library.open(path)
            try other.insert("Tag", ["label": .text("b")])
            try other.close()
        }
        let query = try store.query("Tag")
        #expect(try before.count(query) == 1)
        let after = try store.snapshot()
        #expect(try after.count(query) == 2)
        #expect(after.generation.rawValue > before.generation.rawValue)
        #expect(try store.insert("Tag").key > tag.key)
        try store.close()
    }

    @Test("A deleted object takes its pairs and index entries with it")
    func deletion() throws {
        let store = try open()
        let person = try store.insert("Person")
        let books = try store.insert(
            "Book",
            all: (0..<3).map { ["code": .text(StoredText("\($0)")), "author": .objectID(person)] })
        let tag = try store.insert("Tag")
        let tags = try store.relationship("tags", of: "Book")
        try store.saved(
            ChangeSet(edges: [
                EdgeChange(relationship: tags, added: books.map { .init(from: $0, to: tag) })
            ]))
        let reverse = try store.relationship("books", of: "Tag")
        let written = try store.relationship("books", of: "Person")
        #expect(try store.snapshot().destinations(of: written, from: [person])[0] == books)
        try store.delete(books[1])
        let rest = [books[0], books[2]]
        #expect(try store.snapshot().destinations(of: reverse, from: [tag])[0] == rest)
        #expect(try store.snapshot().destinations(of: written, from: [person])[0] == rest)
        #expect(try store.keys(store.query("Book", compare("code", .equal, .text("1")))) == [])
        try store.delete(tag)
        #expect(try store.snapshot().destinations(of: tags, from: rest) == [[], []])
        try store.insert("Book", ["code": .text("1")])
        try store.close()
    }
}
