import DuramenModel
import DuramenQuery
import DuramenSQLite
import DuramenStore
import Foundation
import StoreTestSupport
import Testing

@Suite struct SaveTests {
    let folder = TemporaryFolder()

    private func open() throws -> any PersistentStore {
        try PersistentStoreDescription.sqlite(folder.file()).open(model: Library.model)
    }

    @Test func uniqueValuesCanBeExchangedInOneSave() throws {
        let store = try open()
        let a = try store.insert("Book", ["code": .text("a")])
        let b = try store.insert("Book", ["code": .text("b")])
        let c = try store.insert("Book", ["code": .text("c")])
        try store.saved(
            ChangeSet(updates: [
                try store.update(a, ["code": .text("b")]),
                try store.update(b, ["code": .text("c")]),
                try store.update(c, ["code": .text("a")]),
            ]))
        #expect(try store.value(a, "code") == .text("b"))
        #expect(try store.value(b, "code") == .text("c"))
        #expect(try store.value(c, "code") == .text("a"))
        try store.close()
    }

    @Test func aDeletedUniqueValueIsFreeInTheSameSave() throws {
        let store = try open()
        let a = try store.insert("Book", ["code": .text("a")])
        let key = try store.allocateKeys(1, for: try store.entity("Book").id).lowerBound
        try store.saved(
            ChangeSet(
                inserts: [try store.row("Book", key: key, ["code": .text("a")])],
                deletes: [try store.deletion(a)]))
        #expect(try store.snapshot().count(store.query("Book")) == 1)
        try store.close()
    }

    @Test func allConflictsComeBackAndNothingIsWritten() throws {
        let store = try open()
        let a = try store.insert("Book", ["code": .text("a"), "pages": .integer(1)])
        let b = try store.insert("Book", ["code": .text("b")])
        let stale = try store.update(a, ["pages": .integer(2)])
        try store.saved(ChangeSet(updates: [try store.update(a, ["pages": .integer(3)])]))
        let key = try store.allocateKeys(1, for: try store.entity("Book").id).lowerBound
        let before = try store.snapshot().generation
        let outcome = try store.save(
            ChangeSet(
                inserts: [try store.row("Book", key: key, ["code": .text("b")])], updates: [stale],
                deletes: [
                    RowDeletion(
                        id: ManagedObjectID(
                            store: store.handle, entity: b.entityHandle, key: 9_999),
                        baseVersion: .init(rawValue: 1))
                ]))
        guard case .conflicted(let conflicts) = outcome else {
            Issue.record("the save went through")
            return
        }
        var versions: [ManagedObjectID] = []
        var others: [ManagedObjectID] = []
        for conflict in conflicts {
            switch conflict {
            case .version(let conflict):
                versions.append(conflict.id)
                #expect((conflict.storedRow == nil) == (conflict.id != a))
            case .uniqueness(let conflict): others.append(conflict.otherID)
            }
        }
        #expect(versions.map(\.key) == [a.key, 9_999])
        #expect(others == [b])
        #expect(try store.snapshot().generation == before)
        #expect(try store.value(a, "pages") == .integer(3))
        try store.close()
    }

    @Test func aKeyUsedAgainGetsAVersionThatItNeverHad() throws {
        let store = try open()
        let a = try store.insert("Tag", ["label": .text("1")])
        var seen: Set<RowVersion> = []
        for round in 0..<3 {
            let version = try #require(store.snapshot().rows(for: [a]).first).version
            #expect(seen.insert(version).inserted)
            let receipt = try store.saved(
                ChangeSet(updates: [try store.update(a, ["label": .text(StoredText("\(round)"))])]))
            #expect(seen.insert(receipt.updatedVersions[0]).inserted)
            try store.delete(a)
            try store.saved(ChangeSet(inserts: [try store.row("Tag", key: a.key, [:])]))
        }
        try store.close()
    }

    @Test func insertingUnderAKeyInUseIsRefused() throws {
        let store = try open()
        let a = try store.insert("Tag")
        let row = try store.row("Tag", key: a.key, [:])
        let error = #expect(throws: StoreError.self) { try store.save(ChangeSet(inserts: [row])) }
        #expect(error?.code == .invalidRequest)
        try store.close()
    }

    @Test func twoDecimalsOfOneRealAreNotEqual() throws {
        let model = testModel([
            EntityDescription(
                name: "Price", attributes: [AttributeDescription("amount", .decimal)],
                uniquenessConstraints: [["amount"]])
        ])
        let store = try PersistentStoreDescription.sqlite(folder.file()).open(model: model)
        let first = try #require(Decimal(string: "0.1234567890123456789"))
        let second = try #require(Decimal(string: "0.1234567890123456788"))
        try store.insert("Price", ["amount": .decimal(first)])
        try store.insert("Price", ["amount": .decimal(second)])
        #expect(throws: StoreError.self) { try store.insert("Price", ["amount": .decimal(first)]) }
        try store.close()
    }

    @Test func aSnapshotNeverSeesALaterSaveAndIsSharedUntilThen() throws {
        let store = try open()
        let a = try store.insert("Tag", ["label": .text("old")])
        let before = store.counters.snapshots
        let first = try store.snapshot()
        let second = try store.snapshot()
        #expect(first.generation == second.generation)
        #expect(store.counters.snapshots == before + 1)
        try store.saved(ChangeSet(updates: [try store.update(a, ["label": .text("new")])]))
        #expect(try first.rows(for: [a]).first?.string(0) == "old")
        let third = try store.snapshot()
        #expect(third.generation > first.generation)
        #expect(try third.rows(for: [a]).first?.string(0) == "new")
        try store.close()
    }

    @Test func tooManyStatesHeldAreATypedError() throws {
        let store = try open()
        var held: [any StoreSnapshot] = []
        let error = #expect(throws: StoreError.self) {
            for _ in 0..<40 {
                try store.insert("Tag")
                held.append(try store.snapshot())
            }
        }
        #expect(error?.code == .readersExhausted)
        #expect(held.count == 32)
        held = []
        _ = try store.snapshot()
        try store.close()
    }

    @Test func metadataTravelsWithTheSave() throws {
        let store = try open()
        let values: [String: StoredValue] = [
            "text": .text("a\0é"), "double": .double(.infinity),
            "date": .date(Date(timeIntervalSinceReferenceDate: 0.1)),
            "bytes": .binary(Data([1])), "flag": .boolean(true), "whole": .integer(.max),
            "id": .uuid(UUID()),
            "exact": .decimal(try #require(Decimal(string: "1.5"))), "uri": .uri("a:b"),
        ]
        try store.saved(ChangeSet(metadata: values))
        #expect(try store.metadata().userInfo == values)
        try store.saved(ChangeSet(metadata: ["text": .null]))
        #expect(try store.metadata().userInfo["text"] == nil)
        try store.close()
    }

    @Test func aRaisedFlagEndsTheSaveBeforeTheCommit() throws {
        let store = try open()
        let flag = CancellationFlag()
        flag.cancel()
        let error = #expect(throws: StoreError.self) {
            try store.save(ChangeSet(metadata: ["a": .integer(1)], cancellation: flag))
        }
        #expect(error?.code == .cancelled)
        #expect(try store.metadata().userInfo.isEmpty)
        try store.close()
    }

    @Test func anObjectThatOccursTwiceInAChangeSetIsRefused() throws {
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

    @Test func savesFromManyThreadsAllArrive() async throws {
        let store = try open()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<4 {
                group.addTask {
                    for _ in 0..<25 {
                        try store.insert("Tag")
                        _ = try store.snapshot()
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(try store.snapshot().count(store.query("Tag")) == 100)
        try store.close()
    }
}
