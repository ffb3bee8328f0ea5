#if os(Linux)
import DuramenFileStore
import DuramenModel
import DuramenSQLite
import DuramenStore
import StoreTestSupport
import Testing

/// What a child sees that is made by `fork` while a store is open. Each forks in a process of its
/// own.
@Suite struct ForkTests {
    let folder = TemporaryFolder()

    @Test(
        "A child made by fork is refused, whatever it does, and its parent goes on",
        arguments: ForkedUse.allCases)
    func aChildIsRefusedAndItsParentGoesOn(_ use: ForkedUse) async throws {
        let path = folder.file()
        await #expect(processExitsWith: .success) {
            [path = path as String, use = use as ForkedUse] in
            try use.check(.sqlite(path), model: Library.model)
        }
        #expect(try RawDatabase.texts(path, "SELECT COUNT(*) FROM ZTAG") == ["2"])
        #expect(try RawDatabase.texts(path, "PRAGMA integrity_check") == ["ok"])
    }

    @Test("A child leaves the locks of its parent alone, also what it lets go of at its end")
    func aChildLeavesTheLocksOfItsParentAlone() async throws {
        let path = folder.file()
        await #expect(processExitsWith: .success) { [path = path as String] in
            var store: (any PersistentStore)? = try Library.open(path)
            try store?.insert("Tag", ["label": .text("a")])
            let log = try #require(FileIdentity(path: path + "-wal"))
            let code = try storeErrorCodeInFork {
                // The end of the store, of its connections and of its statements.
                store = nil
                throw StoreError(.closed, "let go of")
            }
            // The last connection of a file writes its log back and takes it away.
            guard code == .closed, FileIdentity(path: path + "-wal") == log else {
                throw StoreError(.io, "the child ended what its parent opened")
            }
            try store?.insert("Tag", ["label": .text("b")])
            try store?.close()
        }
    }

    @Test("A lock of the parent is neither taken nor given back by the child")
    func aLockFileIsTheParents() async throws {
        let path = folder.file()
        await #expect(processExitsWith: .success) { [path = path as String] in
            let lock = try StoreFileLock(storePath: path, timeoutSeconds: 0)
            try lock.acquire()
            let code = try storeErrorCodeInFork {
                lock.release()
                try lock.acquire()
            }
            let other = try StoreFileLock(storePath: path, timeoutSeconds: 0)
            guard code == .usedAfterFork, storeErrorCode({ try other.acquire() }) == .storeBusy
            else { throw StoreError(.io, "the child gave its parent's lock back") }
            lock.release()
            try other.acquire()
        }
    }
}
#endif
