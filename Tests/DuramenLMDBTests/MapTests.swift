import DuramenModel
import DuramenQuery
import DuramenStore
import Foundation
import StoreTestSupport
import Testing

@testable import DuramenLMDB

/// Where the system grants little address space, the map grows with the file.
@Suite struct MapTests {
    let folder = TemporaryFolder()

    private func open(
        timeoutSeconds: Double = 5, model: ManagedObjectModel = Library.model
    ) throws -> LMDBStore {
        let description = PersistentStoreDescription.lmdb(folder.file())
            .durability(.unsafeNoSync).timeout(seconds: timeoutSeconds)
        return try StoreOpening(description, mapBytes: 1 << 18).open(model: model)
    }

    private func count(_ store: LMDBStore) throws -> Int {
        try store.snapshot().count(store.query("Tag"))
    }

    @Test("Saves go far beyond the map, and so does one that is larger than the map")
    func growth() throws {
        let store = try open()
        for _ in 0..<40 { try store.insert("Tag", Library.label(200_000)) }
        let id = try store.insert("Tag", Library.label(6_000_000))
        #expect(try count(store) == 41)
        #expect(
            try store.value(id, "label")
                == .letters(6_000_000)
        )
        try store.close()
        let again = try open()
        #expect(try count(again) == 41)
        try again.insert("Tag", Library.label(1_000_000))
        try again.close()
    }

    @Test("A snapshot that stays in the way is a typed error, and nothing is lost by it")
    func heldSnapshots() throws {
        let store = try open(timeoutSeconds: 0.05)
        let id = try store.insert("Tag", Library.label(10))
        var snapshot: LMDBSnapshot? = try store.snapshot()
        #expect(storeErrorCode { try store.insert("Tag", Library.label(3_000_000)) } == .storeBusy)
        #expect(try snapshot?.rows(for: [id]).count == 1)
        #expect(try count(store) == 1)
        try store.insert("Tag", Library.label(10))
        #expect(try snapshot?.count(store.query("Tag")) == 1)
        snapshot = nil
        try store.insert("Tag", Library.label(3_000_000))
        #expect(try count(store) == 3)
        try store.close()
    }

    @Test("What another process made larger is read and written on")
    func anotherProcess() async throws {
        let path = folder.file()
        let store = try open()
        try store.insert("Tag", Library.label(10))
        let description = PersistentStoreDescription.lmdb(path)
        for round in 1...3 {
            await #expect(processExitsWith: .success) { [path = path as String] in
                let other = try Library.open(path, .unsafeNoSync)
                try other.insert("Tag", all: (0..<6).map { _ in Library.label(1_000_000) })
                try other.close()
            }
            switch round {
            case 1: #expect(try count(store) == 7)
            case 2: try store.insert("Tag", Library.label(10))
            default:
                try LMDBStoreType().copy(description, to: .lmdb(folder.file("copy")))
                #expect(
                    try LMDBStoreType().metadata(of: .lmdb(folder.file("copy"))).storeUUID
                        == store.metadata().storeUUID)
            }
        }
        #expect(try count(store) == 20)
        try store.close()
    }

    @Test("Threads that read and save while the map grows again and again are all right")
    func threads() async throws {
        let path = folder.file()
        let store = try open(timeoutSeconds: 20)
        try store.insert("Tag", Library.label(10))
        for _ in 0..<2 {
            // The readers of this process find a file that is longer than its map, all at once.
            await #expect(processExitsWith: .success) { [path = path as String] in
                let other = try Library.open(path, .unsafeNoSync)
                try other.insert("Tag", all: (0..<4).map { _ in Library.label(1_000_000) })
                try other.close()
            }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<6 {
                    group.addTask {
                        for _ in 0..<8 {
                            if number < 2 {
                                try store.insert("Tag", Library.label(300_000))
                            } else {
                                _ = try store.snapshot().count(store.query("Tag"))
                            }
                        }
                    }
                }
                try await group.waitForAll()
            }
        }
        #expect(try count(store) == 1 + 2 * (4 + 16))
        try store.close()
    }

    @Test("Opening with an index that needs more than the map, and metadata too, succeed")
    func opening() throws {
        let store = try open(model: Library.makeModel(indexes: []))
        try store.insert(
            "Book",
            all: (0..<3_000).map {
                ["title": .text(StoredText("\($0)" + String(repeating: "x", count: 400)))]
            })
        try store.close()
        let again = try open()
        #expect(
            try again.keys(again.query("Book", compare("title", .beginsWith, .text("2999"))))
                == [3_000])
        try again.close()
        try LMDBStoreType().setUserInfo(
            ["a": .letters(4_000_000)],
            of: .lmdb(folder.file()))
        #expect(try LMDBStoreType().metadata(of: .lmdb(folder.file())).userInfo.count == 1)
    }
}
