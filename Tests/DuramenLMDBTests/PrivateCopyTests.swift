import DuramenFileStore
import DuramenModel
import DuramenStore
import Foundation
import StoreTestSupport
import Testing

@testable import DuramenLMDB

/// Copies of stores for users who may read them and not write.
@Suite struct PrivateCopyTests {
    let folder = TemporaryFolder()

    /// A store whose file is copied in several pieces.
    private func makeStore() throws -> (any PersistentStore, StoreFolder) {
        let store = try Library.open(folder.file(), .relaxed)
        try store.insert("Tag", all: (0..<40).map { _ in Library.label(100_000) })
        return (store, try StoreFolder(folder.file()))
    }

    private func copies() throws -> [String] {
        let path = folder.path + "/duramen-copies-\(geteuid())"
        return try FileManager.default.contentsOfDirectory(atPath: path)
            .filter { UUID(uuidString: $0) != nil }
    }

    /// What is in a copy, which is opened by itself.
    private func count(in copy: PrivateCopy) throws -> Int {
        // Not the store that is open: both have one identity.
        let environment = try StoreOpening(.lmdb(copy.folder.path).readOnly()).openEnvironment()
        let reader = try Reader(environment, timeoutSeconds: 1)
        defer { reader.end() }
        try StructureCheck.checkState(of: reader.transaction)
        let check = try ModelCheck(
            reader.transaction, model: Library.model, path: copy.folder.path)
        let tag = try #require(Library.model.entity(named: "Tag"))
        let cursor = try reader.transaction.cursor(check.schema().places[tag.id.index].rows)
        var count = 0
        var record = try cursor.first()
        while record != nil {
            count += 1
            record = try cursor.next()
        }
        return count
    }

    @Test("A copy is made again when somebody writes meanwhile, and then shows a whole state")
    func tornCopies() throws {
        let (store, place) = try makeStore()
        var tries = 0
        let copy = try PrivateCopy.make(of: place, in: folder.path) { piece in
            if piece == 0 { tries += 1 }
            // The head pages are in the first piece; what comes behind them is of later states.
            guard piece == 0, tries < PrivateCopy.tries else { return }
            for _ in 0..<3 {
                #expect(throws: Never.self) {
                    try store.insert("Tag", all: (0..<10).map { _ in Library.label(100_000) })
                }
            }
        }
        #expect(tries == PrivateCopy.tries)
        #expect(try count(in: copy) == 40 + 2 * 30)
        copy.remove()
        #expect(try copies() == [])
        try store.close()
    }

    @Test("Who writes at every try is named by an error, and no copy stays")
    func busyStores() throws {
        let (store, place) = try makeStore()
        var writes = 0
        let code = storeErrorCode {
            try PrivateCopy.make(of: place, in: folder.path) { piece in
                if piece > 0 { return }
                writes += 1
                #expect(throws: Never.self) { try store.insert("Tag") }
            }
        }
        #expect(code == .storeBusy)
        #expect(writes == PrivateCopy.tries)
        #expect(try copies() == [])
        try store.close()
    }

    @Test("What a process left that died with a copy goes with the next one; a copy in use stays")
    func leftovers() throws {
        let (store, place) = try makeStore()
        let first = try PrivateCopy.make(of: place, in: folder.path)
        let left = "\(first.folder.parent)/\(UUID().uuidString)"
        try FileManager.default.copyItem(atPath: first.folder.path, toPath: left)
        #expect(try copies().count == 2)
        let second = try PrivateCopy.make(of: place, in: folder.path)
        #expect(
            Set(try copies())
                == Set([first, second].map { StorePath.name(of: $0.folder.path) }))
        #expect(try count(in: first) == 40)
        first.remove()
        second.remove()
        try store.close()
    }

    @Test("A folder for copies that others may use is refused")
    func foreignFolders() throws {
        let (store, place) = try makeStore()
        let path = folder.path + "/duramen-copies-\(geteuid())"
        mkdir(path, 0o777)
        chmod(path, 0o777)
        let code = storeErrorCode { try PrivateCopy.make(of: place, in: folder.path) }
        #expect(code == .permissionDenied)
        try store.close()
    }

    #if os(Linux)
    @Test("A full disk is a typed error, and no copy stays", .enabled(if: SmallDisk.isPermitted))
    func fullDisk() throws {
        guard let disk = SmallDisk(in: folder, kibibytes: 2_000) else { return }
        defer { disk.unmount() }
        let (store, place) = try makeStore()
        let code = storeErrorCode { try PrivateCopy.make(of: place, in: disk.path) }
        #expect(code == .diskFull)
        let left = try FileManager.default.subpathsOfDirectory(atPath: disk.path)
        #expect(left.filter { $0.hasSuffix("data.mdb") } == [])
        try store.close()
    }
    #endif
}
