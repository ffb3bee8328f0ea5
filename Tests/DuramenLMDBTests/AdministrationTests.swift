import DuramenFileStore
import DuramenModel
import DuramenStore
import Foundation
import StoreTestSupport
import Testing

@testable import DuramenLMDB

/// Work on stores that need not be open: metadata, copies, taking away.
@Suite struct AdministrationTests {
    let folder = TemporaryFolder()
    private let manager = FileManager.default
    private let type = LMDBStoreType()

    @Test("A store takes the place of an empty folder, and not that of other files")
    func replacesAnEmptyFolder() throws {
        let other = PersistentStoreDescription.lmdb(folder.file("other.lmdb"))
        let store = try Library.open(folder.file("other.lmdb"))
        try store.insert("Tag", ["label": .text("x")])
        try store.close()
        let empty = PersistentStoreDescription.lmdb(folder.file("empty"))
        try manager.createDirectory(atPath: empty.location, withIntermediateDirectories: false)
        try empty.replaceStore(with: other)
        let copy = try Library.open(empty.location)
        #expect(try copy.snapshot().count(copy.query("Tag")) == 1)
        try copy.close()
        let taken = PersistentStoreDescription.lmdb(folder.file("taken"))
        try manager.createDirectory(atPath: taken.location, withIntermediateDirectories: false)
        try writeFile(taken.location + "/note.txt", "mine")
        #expect(storeErrorCode { try taken.replaceStore(with: other) } == .foreignFile)
        #expect(manager.contents(atPath: taken.location + "/note.txt") == Data("mine".utf8))
    }

    @Test("Administration works without a model, while the store is in use and when it is not")
    func withoutAModel() throws {
        let description = PersistentStoreDescription.lmdb(folder.file()).timeout(seconds: 0.2)
        let copy = PersistentStoreDescription.lmdb(folder.file("copy.lmdb"))
        let store = try Library.open(folder.file())
        let id = try store.insert("Tag", ["label": .text("x")])
        #expect(storeErrorCode { try type.destroy(description) } == .storeBusy)
        try type.copy(description, to: copy)
        #expect(storeErrorCode { try type.copy(description, to: copy) } == .invalidRequest)
        try type.setUserInfo(["a": .integer(1)], of: description)
        #expect(try store.metadata().userInfo == ["a": .integer(1)])
        try type.setUserInfo(["b": .text("")], of: description)
        #expect(try store.metadata().userInfo == ["b": .text("")])
        #expect(
            storeErrorCode { try type.setUserInfo([:], of: description.readOnly()) } == .readOnly)
        #expect(try type.metadata(of: description) == store.metadata())
        try store.close()
        let found = try type.metadata(of: description)
        #expect(found.modelChecksum == Library.model.versionChecksum)
        #expect(found.userInfo == ["b": .text("")])
        try type.setUserInfo(["c": .boolean(true)], of: description)
        #expect(try type.metadata(of: description).userInfo == ["c": .boolean(true)])
        try type.destroy(description)
        try type.destroy(description)
        #expect(!manager.fileExists(atPath: folder.file()))
        #expect(storeErrorCode { try type.metadata(of: description) } == .storeMissing)
        #expect(storeErrorCode { try type.setUserInfo([:], of: description) } == .storeMissing)
        #expect(
            storeErrorCode { try type.copy(description, to: .lmdb(folder.file("other"))) }
                == .storeMissing)
        let copied = try Library.open(folder.file("copy.lmdb"))
        #expect(try copied.value(id, "label") == .text("x"))
        #expect(try copied.metadata().userInfo.isEmpty)
        try copied.close()
    }

    @Test("A damaged archive of the model is a finding, and is written anew")
    func aDamagedModel() throws {
        let description = PersistentStoreDescription.lmdb(folder.file())
        try Library.open(folder.file()).close()
        #expect(
            try type.storedModel(of: description).model.archived() == Library.model.archived())
        try RawEnvironment.write(folder.file()) { (transaction) throws(StoreError) in
            guard let table = try transaction.table(Table.Name.meta) else { return }
            try Array("model.\(Library.model.versionChecksum)".utf8).withBytes {
                (key) throws(StoreError) in
                try transaction.put(key, for: key, in: table)
            }
        }
        #expect(storeErrorCode { try type.storedModel(of: description) } == .damagedFile)
        let report = try type.report(on: description, model: nil, checks: false)
        #expect(report.findings.count == 1 && !report.entities.isEmpty)
        try Library.open(folder.file()).close()
        #expect(
            try type.storedModel(of: description).model.archived() == Library.model.archived())
    }

    @Test("A copy is not opened beside its source")
    func aCopyBesideItsSource() throws {
        let copy = PersistentStoreDescription.lmdb(folder.file("copy.lmdb"))
        let store = try Library.open(folder.file())
        let id = try store.insert("Tag", ["label": .text("a")])
        try type.copy(.lmdb(folder.file()), to: copy)
        #expect(storeErrorCode { try copy.open(model: Library.model) } == .invalidRequest)
        try store.close()
        let copied = try copy.open(model: Library.model)
        #expect(try copied.value(id, "label") == .text("a"))
        #expect(storeErrorCode { try Library.open(folder.file()) } == .invalidRequest)
        try copied.close()
        try Library.open(folder.file()).close()
    }

    @Test("Where a copy shall be is looked at first")
    func placesForCopies() throws {
        let store = try Library.open(folder.file())
        func code(_ path: String) -> StoreError.Code? {
            storeErrorCode { try type.copy(.lmdb(folder.file()), to: .lmdb(path)) }
        }
        #expect(code(folder.file()) == .invalidRequest)
        #expect(code(folder.path + "/no/copy.lmdb") == .folderMissing)
        try writeFile(folder.file("file"), "x")
        #expect(code(folder.file("file")) == .foreignFile)
        #expect(code("") == .invalidRequest)
        try store.close()
    }

    @Test("Only a store is taken away")
    func onlyStores() throws {
        try writeFile(folder.file("file"), "x")
        #expect(storeErrorCode { try type.destroy(.lmdb(folder.file("file"))) } == .foreignFile)
        let other = folder.file("other")
        try manager.createDirectory(atPath: other, withIntermediateDirectories: false)
        try writeFile(other + "/notes", "x")
        #expect(storeErrorCode { try type.destroy(.lmdb(other)) } == .foreignFile)
        #expect(manager.fileExists(atPath: other + "/notes"))
        try Library.open(folder.file()).close()
        try manager.createSymbolicLink(
            atPath: folder.file("link"), withDestinationPath: folder.file())
        #expect(storeErrorCode { try type.destroy(.lmdb(folder.file("link"))) } == .foreignFile)
        try Library.open(folder.file()).close()
    }

    @Test("A snapshot held after closing keeps the store from being taken away, by any process")
    func aHeldSnapshot() async throws {
        let path = folder.file()
        let description = PersistentStoreDescription.lmdb(path).timeout(seconds: 0.2)
        let store = try Library.open(path)
        let id = try store.insert("Tag", ["label": .text("a")])
        let snapshot = try store.snapshot()
        try store.close()
        _ = try type.metadata(of: description)
        #expect(storeErrorCode { try type.destroy(description) } == .storeBusy)
        await #expect(processExitsWith: .success) { [path = path as String] in
            let description = PersistentStoreDescription.lmdb(path).timeout(seconds: 0.2)
            guard storeErrorCode({ try LMDBStoreType().destroy(description) }) == .storeBusy else {
                throw StoreError(.io, "taken away under a snapshot")
            }
        }
        #expect(storeErrorCode { try snapshot.rows(for: [id]) } == .closed)
        withExtendedLifetime(snapshot) {}
    }

    @Test("What a killed creation, copy or compaction left is cleared away")
    func leftovers() throws {
        let leftover = folder.file() + ".new"
        func plant() throws {
            try manager.createDirectory(atPath: leftover, withIntermediateDirectories: false)
            try writeFile(leftover + "/data.mdb", "half")
            try writeFile(leftover + "/lock.mdb")
        }
        try plant()
        let store = try Library.open(folder.file())
        let id = try store.insert("Tag", ["label": .text("a")])
        #expect(!manager.fileExists(atPath: leftover))
        try store.close()
        try plant()
        let again = try Library.open(folder.file())
        #expect(!manager.fileExists(atPath: leftover))
        #expect(try again.value(id, "label") == .text("a"))
        try again.maintainIfCapable()
        try again.close()
        #expect(!manager.fileExists(atPath: leftover))
    }

    @Test("Somebody's own folder where a new store would be made is left alone")
    func aFolderInTheWay() throws {
        let place = folder.file() + ".new"
        try manager.createDirectory(atPath: place, withIntermediateDirectories: false)
        try writeFile(place + "/notes", "x")
        try writeFile(place + "/data.mdb", "y")
        #expect(storeErrorCode { try Library.open(folder.file()) } == .foreignFile)
        #expect(try manager.contentsOfDirectory(atPath: place).sorted() == ["data.mdb", "notes"])
        try manager.removeItem(atPath: place)
        // A store may have such a name too.
        let other = try Library.open(place)
        let id = try other.insert("Tag", ["label": .text("a")])
        try other.close()
        #expect(storeErrorCode { try Library.open(folder.file()) } == .foreignFile)
        let again = try Library.open(place)
        #expect(try again.value(id, "label") == .text("a"))
        try again.close()
    }

    @Test("A new file is not taken for the one that is being taken away just now")
    func numbersOfFiles() throws {
        let (old, new) = (folder.file("old"), folder.file("new"))
        try writeFile(old)
        let claim = try OpenStoreFile.claimAlone(old) {}
        #expect(storeErrorCode { try OpenStoreFile.claim(old) { _ in } } == .storeBusy)
        try manager.removeItem(atPath: old)
        // The system gives numbers of files again as soon as it can.
        try writeFile(new)
        #expect(storeErrorCode { try OpenStoreFile.claim(new) { _ in } } == nil)
        withExtendedLifetime(claim) {}
    }

    @Test("Planted links are never followed")
    func plantedLinks() throws {
        let victim = folder.file("victim.lmdb")
        let store = try Library.open(victim)
        let id = try store.insert("Tag", ["label": .text("a")])
        try store.close()
        let file = folder.file("file")
        let words = Data("words".utf8)
        // A folder that names the victim, and files that others wait for.
        let path = folder.file("new.lmdb")
        try manager.createSymbolicLink(atPath: path + ".new", withDestinationPath: victim)
        #expect(storeErrorCode { try Library.open(path) } == .foreignFile)
        #expect(
            storeErrorCode { try type.copy(.lmdb(victim), to: .lmdb(path)) } == .foreignFile)
        try manager.removeItem(atPath: path + ".new")
        for name in ["/lock.mdb", "/users.lock", "/data.mdb", ".lock"] {
            try words.write(to: URL(filePath: file))
            let target = path + "-" + name.filter(\.isLetter)
            try Library.open(target).close()
            try? manager.removeItem(atPath: target + name)
            try manager.createSymbolicLink(atPath: target + name, withDestinationPath: file)
            #expect(storeErrorCode { try Library.open(target) } != nil, "\(name)")
            #expect(
                storeErrorCode {
                    _ = try PersistentStoreDescription.lmdb(target).readOnly().open(
                        model: Library.model)
                } != nil || name == ".lock", "\(name)")
            #expect(try Data(contentsOf: URL(filePath: file)) == words, "\(name)")
        }
        let again = try Library.open(victim)
        #expect(try again.value(id, "label") == .text("a"))
        try again.close()
    }

    @Test("The mark of a clean end is no way to another file")
    func aPlantedMark() throws {
        let file = folder.file("file")
        let words = Data("words".utf8)
        for name in ["/checked", "/checked.new"] {
            try words.write(to: URL(filePath: file))
            try Library.open(folder.file()).close()
            try? manager.removeItem(atPath: folder.file() + name)
            try manager.createSymbolicLink(
                atPath: folder.file() + name, withDestinationPath: file)
            let store = try Library.open(folder.file())
            try store.insert("Tag")
            try store.close()
            #expect(try Data(contentsOf: URL(filePath: file)) == words, "\(name)")
        }
        #expect(CheckMark.isValid(try StoreFolder(folder.file())))
    }
}
