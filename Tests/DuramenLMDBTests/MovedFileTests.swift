import DuramenModel
import DuramenStore
import Foundation
import StoreTestSupport
import Testing

@testable import DuramenLMDB

/// Files that are moved, replaced or deleted under an open store.
@Suite struct MovedFileTests {
    let folder = TemporaryFolder()
    private let manager = FileManager.default

    enum Part: String, CaseIterable {
        case data = "/data.mdb"
        case readers = "/lock.mdb"
        case users = "/users.lock"
    }

    private var path: String { folder.file() }

    private func makeStore() throws -> (any PersistentStore, ManagedObjectID) {
        let store = try Library.open(path)
        let id = try store.insert("Tag", ["label": .text("first")])
        return (store, id)
    }

    @Test(
        "A save beside a file that was moved fails, and nothing acknowledged is lost",
        arguments: Part.allCases, FileMishap.allCases)
    func aMovedFile(_ part: Part, _ mishap: FileMishap) throws {
        let (store, id) = try makeStore()
        let place = path + part.rawValue
        let aside = folder.file("aside")
        try mishap.strike(place, aside: aside)
        try checkRefused(store, id)
        try store.close()
        #expect(!manager.fileExists(atPath: path + "/checked"))
        if part == .data {
            if mishap == .deleted { return }
            try? manager.removeItem(atPath: place)
            try manager.moveItem(atPath: aside, toPath: place)
        }
        try checkContents(path, id)
    }

    @Test(
        "A save in a folder that was moved fails, and nothing acknowledged is lost",
        arguments: FolderMishap.allCases)
    func aMovedFolder(_ mishap: FolderMishap) throws {
        let (store, id) = try makeStore()
        let aside = folder.file("aside.lmdb")
        try mishap.strike(path, aside: aside) {
            let other = try Library.open(path)
            try other.insert("Tag", ["label": .text("other")])
            try other.close()
        }
        try checkRefused(store, id)
        try store.close()
        try checkContents(aside, id)
        if mishap == .replaced {
            let other = try Library.open(path)
            #expect(try other.snapshot().count(other.query("Tag")) == 1)
            try other.close()
        }
    }

    /// Writing ends with an error that names the store, whatever is tried; reading goes on.
    private func checkRefused(_ store: any PersistentStore, _ id: ManagedObjectID) throws {
        let snapshot = try store.snapshot()
        for _ in 0..<2 {
            let error = #expect(throws: StoreError.self) {
                try store.saved(ChangeSet(metadata: ["a": .integer(1)]))
            }
            #expect(error?.code == .storeFileMoved)
            #expect(error?.message.contains("library.lmdb") == true)
        }
        #expect(storeErrorCode { try store.maintainIfCapable() } == .storeFileMoved)
        #expect(try snapshot.rows(for: [id]).count == 1)
        #expect(try store.snapshot().rows(for: [id]).count == 1)
    }

    private func checkContents(_ path: String, _ id: ManagedObjectID) throws {
        let store = try Library.open(path)
        #expect(try store.value(id, "label") == .text("first"))
        #expect(try store.metadata().userInfo.isEmpty)
        try store.insert("Tag", ["label": .text("second")])
        #expect(try store.snapshot().count(store.query("Tag")) == 2)
        try store.close()
    }
}
