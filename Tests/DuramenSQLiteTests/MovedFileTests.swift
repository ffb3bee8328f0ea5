import DuramenModel
import DuramenQuery
import DuramenSQLite
import DuramenStore
import Foundation
import StoreTestSupport
import Testing

/// Files that are moved, replaced or deleted under an open store.
@Suite struct MovedFileTests {
    let folder = TemporaryFolder()
    private let manager = FileManager.default

    enum Part: String, CaseIterable {
        case file = ""
        case log = "-wal"
        case index = "-shm"
    }

    private var path: String { folder.file("stores/library.sqlite") }

    /// A store with a row in its file and one in its log.
    private func makeStore() throws -> (any PersistentStore, [ManagedObjectID]) {
        try manager.createDirectory(
            atPath: folder.file("stores"), withIntermediateDirectories: true)
        let store = try Library.open(path)
        let first = try store.insert("Tag", ["label": .text("first")])
        try store.maintainIfCapable()
        // Reading goes on over connections that are open.
        _ = try store.snapshot()
        return (store, [first, try store.insert("Tag", ["label": .text("second")])])
    }

    @Test(
        "A save beside a file, log or index that was moved fails, and nothing acknowledged is lost",
        arguments: Part.allCases, FileMishap.allCases)
    func aMovedFile(_ part: Part, _ mishap: FileMishap) throws {
        let (store, ids) = try makeStore()
        let place = path + part.rawValue
        let aside = folder.file("aside")
        try mishap.strike(place, aside: aside)
        try checkRefused(store, ids, part.rawValue)
        try store.close()
        if part == .file {
            if mishap == .deleted { return }
            try? manager.removeItem(atPath: place)
            try manager.moveItem(atPath: aside, toPath: place)
        }
        try checkContents(path, ids)
    }

    @Test(
        "A save in a folder that was moved fails, and nothing acknowledged is lost",
        arguments: FolderMishap.allCases)
    func aMovedFolder(_ mishap: FolderMishap) throws {
        let (store, ids) = try makeStore()
        let aside = folder.file("aside")
        try mishap.strike(folder.file("stores"), aside: aside) {
            let other = try Library.open(path)
            try other.insert("Tag", ["label": .text("other")])
            try other.close()
        }
        try checkRefused(store, ids, "")
        try store.close()
        try checkContents(aside + "/library.sqlite", ids)
        if mishap == .replaced {
            let other = try Library.open(path)
            #expect(try other.pushedKeys(other.query("Tag"))?.count == 1)
            try other.close()
        }
    }

    /// Writing ends with an error that names the file, whatever is tried; reading goes on.
    private func checkRefused(
        _ store: any PersistentStore, _ ids: [ManagedObjectID], _ suffix: String
    ) throws {
        for _ in 0..<2 {
            let error = #expect(throws: StoreError.self) { try store.insert("Tag") }
            #expect(error?.code == .storeFileMoved)
            #expect(error?.message.contains("library.sqlite\(suffix)'") == true)
        }
        #expect(storeErrorCode { try store.maintainIfCapable() } == .storeFileMoved)
        #expect(try store.snapshot().rows(for: ids).count == ids.count)
    }

    private func checkContents(_ path: String, _ ids: [ManagedObjectID]) throws {
        let store = try Library.open(path)
        #expect(try store.value(ids[0], "label") == .text("first"))
        #expect(try store.value(ids[1], "label") == .text("second"))
        try store.insert("Tag", ["label": .text("third")])
        try store.close()
        #expect(try RawDatabase.texts(path, "SELECT COUNT(*) FROM ZTAG") == ["3"])
        #expect(try RawDatabase.texts(path, "PRAGMA integrity_check") == ["ok"])
    }
}
