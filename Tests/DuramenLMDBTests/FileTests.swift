import DuramenModel
import DuramenStore
import Foundation
import StoreTestSupport
import Testing

@testable import DuramenLMDB

/// What is at the path of a store, and what is not.
@Suite struct FileTests {
    let folder = TemporaryFolder()
    private let manager = FileManager.default

    private func code(_ path: String) -> StoreError.Code? {
        storeErrorCode { try Library.open(path) }
    }

    private func bytes(_ path: String) throws -> Data { try Data(contentsOf: URL(filePath: path)) }

    private func names(_ path: String) throws -> [String] {
        try manager.contentsOfDirectory(atPath: path).sorted()
    }

    @Test("What is no store is refused by a typed error and stays untouched")
    func wrongFiles() throws {
        #expect(code(folder.path + "/no/such.lmdb") == .folderMissing)
        let text = folder.file("notes.txt")
        let words = Data("not a store at all, only some words".utf8)
        try words.write(to: URL(filePath: text))
        #expect(code(text) == .foreignFile)
        #expect(try bytes(text) == words)
        #expect(code(folder.path) == .foreignFile)
        #expect(try names(folder.path).filter { !$0.hasSuffix(".lock") } == ["notes.txt"])
        try manager.createDirectory(
            atPath: folder.file("odd/data.mdb"), withIntermediateDirectories: true)
        #expect(code(folder.file("odd")) == .foreignFile)
        try manager.createSymbolicLink(
            atPath: folder.file("link"), withDestinationPath: folder.file("odd"))
        #expect(code(folder.file("link")) == .foreignFile)
        #expect(code(text + "/library.lmdb") != nil)
        let short = folder.file("short")
        try manager.createDirectory(atPath: short, withIntermediateDirectories: false)
        try words.write(to: URL(filePath: short + "/data.mdb"))
        #expect(code(short) == .foreignFile)
        #expect(try names(short) == ["data.mdb"])
    }

    @Test(
        "Another program's environment is refused, and nothing is put into its folder or taken away"
    )
    func foreignEnvironment() throws {
        let path = folder.file("theirs")
        try RawEnvironment.makeForeign(path)
        let before = try bytes(path + "/data.mdb")
        let files = try names(path)
        let description = PersistentStoreDescription.lmdb(path)
        #expect(code(path) == .foreignFile)
        #expect(
            storeErrorCode { try description.readOnly().open(model: Library.model) }
                == .foreignFile)
        #expect(
            storeErrorCode { try LMDBStoreType().metadata(of: description) } == .foreignFile)
        #expect(
            storeErrorCode { try LMDBStoreType().setUserInfo([:], of: description) } == .foreignFile
        )
        #expect(storeErrorCode { try LMDBStoreType().destroy(description) } == .foreignFile)
        #expect(
            storeErrorCode {
                try LMDBStoreType().copy(description, to: .lmdb(folder.file("copy")))
            } == .foreignFile)
        #expect(try bytes(path + "/data.mdb") == before)
        #expect(try names(path) == files)
    }

    @Test("An environment in which nothing was ever written is no store either")
    func emptyEnvironment() throws {
        let path = folder.file("empty")
        try RawEnvironment.write(path) { _ in }
        #expect(code(path) == .foreignFile)
        try manager.removeItem(atPath: path)
        try manager.createDirectory(atPath: path, withIntermediateDirectories: false)
        try writeFile(path + "/data.mdb")
        #expect(code(path) == .damagedFile)
    }

    @Test("Openings that fail and clean up are not in the way of those that write meanwhile")
    func openingsBesideFailedOnes() throws {
        let original = folder.file("original")
        try Library.open(original).close()
        let other = Library.makeModel(extra: [AttributeDescription("more", .string)])
        for round in 0..<40 {
            // Without lock files, so that each opening that fails takes its own away.
            let path = folder.file("\(round)")
            try manager.createDirectory(atPath: path, withIntermediateDirectories: false)
            try manager.copyItem(atPath: original + "/data.mdb", toPath: path + "/data.mdb")
            DispatchQueue.concurrentPerform(iterations: 4) { lane in
                if lane % 2 == 0 {
                    let code = storeErrorCode {
                        try PersistentStoreDescription.lmdb(path).open(model: other)
                    }
                    #expect(code == .notInferable)
                    return
                }
                do {
                    let store = try Library.open(path)
                    try store.insert("Tag")
                    try store.close()
                } catch {
                    Issue.record(error)
                }
            }
            let store = try Library.open(path)
            #expect(try store.snapshot().count(store.query("Tag")) == 2)
            try store.close()
        }
    }

    @Test("A path that names no file is refused", arguments: ["", "a\0b"])
    func noPath(_ location: String) throws {
        let description = PersistentStoreDescription.lmdb(location)
        #expect(
            storeErrorCode { try description.open(model: Library.model) } == .invalidRequest)
        #expect(
            storeErrorCode { try description.type.metadata(of: description) } == .invalidRequest
        )
        #expect(storeErrorCode { try description.type.destroy(description) } == .invalidRequest)
    }

    @Test("Any time-out and any lease are taken", arguments: [Double.infinity, .nan, -1, 1e300])
    func anyNumber(_ seconds: Double) throws {
        let store = try PersistentStoreDescription.lmdb(folder.file()).timeout(seconds: seconds)
            .snapshotLease(seconds: seconds).open(model: Library.model)
        let snapshot = try store.snapshot()
        try store.insert("Tag")
        try store.maintainIfCapable()
        withExtendedLifetime(snapshot) {}
        try store.close()
    }

    @Test("A slash at the end of the path, and an empty folder there, are borne")
    func emptyFolder() throws {
        try manager.createDirectory(atPath: folder.file(), withIntermediateDirectories: false)
        let store = try Library.open(folder.file() + "//")
        let id = try store.insert("Tag", ["label": .text("x")])
        try store.close()
        let again = try Library.open(folder.file())
        #expect(try again.value(id, "label") == .text("x"))
        try again.close()
    }

    @Test("A file cut short is called damaged", arguments: [0, 60, 4_096, 8_192, 12_288, 20_480])
    func truncated(_ length: Int) throws {
        let store = try Library.open(folder.file())
        try store.insert("Tag", all: (0..<50).map { ["label": .text(StoredText("\($0)"))] })
        try store.close()
        let url = URL(filePath: folder.file() + "/data.mdb")
        let data = try Data(contentsOf: url)
        try data.prefix(length).write(to: url)
        #expect(code(folder.file()) == .damagedFile)
        #expect(
            storeErrorCode { try LMDBStoreType().metadata(of: .lmdb(folder.file())) }
                == .damagedFile)
        // A damaged store may be taken away.
        try LMDBStoreType().destroy(.lmdb(folder.file()))
        #expect(!manager.fileExists(atPath: folder.file()))
    }

    @Test("Damaged head pages are refused before the engine sees them")
    func headPages() throws {
        try Library.open(folder.file()).close()
        let url = URL(filePath: folder.file() + "/data.mdb")
        let sound = try Data(contentsOf: url)
        // In both pages: number, flags, magic, version, page size.
        for (offset, expected) in [
            (0, StoreError.Code.damagedFile), (10, .damagedFile), (16, .foreignFile),
            (20, .damagedFile), (40, .damagedFile), (41, .damagedFile), (4_096, .damagedFile),
            (4_106, .damagedFile), (4_112, .damagedFile), (4_116, .damagedFile),
            (4_137, .damagedFile),
        ] {
            var data = sound
            data[offset] ^= 0xFF
            try data.write(to: url)
            #expect(code(folder.file()) == expected, "byte \(offset)")
        }
        try sound.write(to: url)
        try Library.open(folder.file()).close()
    }

    @Test("Another version of the model is refused by name")
    func anotherModel() throws {
        try Library.open(folder.file()).close()
        let model = Library.makeModel(extra: [
            AttributeDescription("added", .string, isOptional: true)
        ])
        let error = #expect(throws: StoreError.self) {
            try LMDBStoreType().open(.lmdb(folder.file()), model: model)
        }
        #expect(error?.code == .incompatibleModel)
        #expect(error?.message.contains("'Book'") == true)
        #expect(error?.message.contains("'Tag'") == false)
        try Library.open(folder.file()).close()
    }

    @Test("A newer format, and one of another order of bytes, are refused")
    func newerFormat() throws {
        try Library.open(folder.file()).close()
        func change(_ body: (inout MetaTable.Identity) -> Void) throws {
            try RawEnvironment.write(folder.file()) { (transaction) throws(StoreError) in
                let meta = try ModelCheck.meta(transaction, path: folder.file())
                guard var identity = try meta.identity() else { return }
                body(&identity)
                try meta.set(identity)
            }
        }
        try change { $0.format = MetaTable.formatVersion + 1 }
        #expect(code(folder.file()) == .newerFormat)
        #expect(
            storeErrorCode { try LMDBStoreType().metadata(of: .lmdb(folder.file())) }
                == .newerFormat)
        try change {
            $0.format = MetaTable.formatVersion
            $0.isLittleEndian.toggle()
        }
        #expect(code(folder.file()) == .foreignFile)
        try change { $0.isLittleEndian.toggle() }
        try Library.open(folder.file()).close()
        try change { $0.format = MetaTable.formatVersion + 1 }
        try LMDBStoreType().destroy(.lmdb(folder.file()))
        #expect(!manager.fileExists(atPath: folder.file()))
    }

    @Test("A store for reading refuses to write and is never made")
    func readOnly() throws {
        let description = PersistentStoreDescription.lmdb(folder.file()).readOnly()
        #expect(storeErrorCode { try description.open(model: Library.model) } == .storeMissing)
        #expect(try names(folder.path) == [])
        let store = try Library.open(folder.file())
        let id = try store.insert("Tag", ["label": .text("x")])
        let reading = try description.open(model: Library.model)
        #expect(try reading.value(id, "label") == .text("x"))
        #expect(storeErrorCode { try reading.insert("Tag") } == .readOnly)
        #expect(storeErrorCode { try reading.maintainIfCapable() } == .readOnly)
        try reading.close()
        try store.close()
        let alone = try description.open(model: Library.model)
        #expect(try alone.value(id, "label") == .text("x"))
        // One environment of a process is for reading or for writing.
        #expect(code(folder.file()) == .storeBusy)
        try alone.close()
        try Library.open(folder.file()).close()
    }

    @Test("A closed store says so")
    func closed() throws {
        let store = try Library.open(folder.file())
        let snapshot = try store.snapshot()
        try store.close()
        try store.close()
        #expect(storeErrorCode { try store.insert("Tag") } == .closed)
        #expect(storeErrorCode { try store.metadata() } == .closed)
        #expect(storeErrorCode { try store.snapshot() } == .closed)
        #expect(storeErrorCode { try snapshot.rows(for: []) } == .closed)
    }

    @Test("Two open stores of one file see each other")
    func twoStores() throws {
        let first = try Library.open(folder.file())
        let second = try Library.open(folder.file())
        let id = try first.insert("Tag", ["label": .text("x")])
        #expect(try second.value(id, "label") == .text("x"))
        #expect(try second.insert("Tag").key != id.key)
        try first.close()
        #expect(try second.value(id, "label") == .text("x"))
        try second.insert("Tag")
        try second.close()
    }

    @Test("Many threads may open, read and close a store at once")
    func manyOpenings() async throws {
        let path = folder.file()
        let store = try Library.open(path)
        let id = try store.insert("Tag", ["label": .text("x")])
        let person = try store.insert("Person", ["name": .text("y")])
        try store.close()
        for _ in 0..<5 {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<8 {
                    group.addTask {
                        let description = PersistentStoreDescription.lmdb(path).readOnly()
                        if number % 3 == 0 { _ = try LMDBStoreType().metadata(of: description) }
                        let store = try description.open(model: Library.model)
                        #expect(try store.value(id, "label") == .text("x"))
                        #expect(try store.value(person, "name") == .text("y"))
                        try store.close()
                    }
                }
                try await group.waitForAll()
            }
        }
    }
}
