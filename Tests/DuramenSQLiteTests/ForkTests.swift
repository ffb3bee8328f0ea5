#if os(Linux)
import DuramenModel
import DuramenQuery
import DuramenSQLite
import DuramenStore
import Foundation
import Testing

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// What a child sees that is made by `fork` while a store is open. Each forks in a process of its own.
@Suite struct ForkTests {
    let folder = TemporaryFolder()

    /// What a child does with what its parent opened.
    enum Use: String, CaseIterable, Codable, Sendable {
        case read, save, snapshot, close, open
    }

    @Test(
        "A child made by fork is refused, whatever it does, and its parent goes on",
        arguments: Use.allCases)
    func aChildIsRefusedAndItsParentGoesOn(_ use: Use) async throws {
        let path = folder.file()
        await #expect(processExitsWith: .success) { [path = path as String, use = use as Use] in
            let store = try PersistentStoreDescription.sqlite(path).open(model: Library.model)
            let id = try store.insert("Tag", ["label": .text("a")])
            let snapshot = try store.snapshot()
            let code = try Self.fork {
                switch use {
                case .read: _ = try snapshot.rows(for: [id])
                case .save: _ = try store.save(ChangeSet(metadata: ["child": .boolean(true)]))
                case .snapshot: _ = try store.snapshot()
                case .close: try store.close()
                case .open:
                    _ = try PersistentStoreDescription.sqlite(path).open(model: Library.model)
                }
            }
            let before = try snapshot.rows(for: [id]).count
            let next = try store.insert("Tag", ["label": .text("b")])
            let query = StoreQuery(entity: try store.entity("Tag").id)
            let facts = [
                code == .usedAfterFork, before == 1,
                try store.value(next, "label") == .text("b"), try snapshot.count(query) == 1,
                try store.snapshot().count(query) == 2, try store.metadata().userInfo.isEmpty,
            ]
            try store.close()
            let check = try RawDatabase.texts(path, "PRAGMA integrity_check")
            guard facts.allSatisfy({ $0 }), check == ["ok"] else {
                throw StoreError(.io, "\(facts), \(check), \(code?.rawValue ?? "no error")")
            }
        }
    }

    @Test("A child leaves the locks of its parent alone, also what it lets go of at its end")
    func aChildLeavesTheLocksOfItsParentAlone() async throws {
        let path = folder.file()
        await #expect(processExitsWith: .success) { [path = path as String] in
            var store: (any PersistentStore)? = try PersistentStoreDescription.sqlite(path)
                .open(model: Library.model)
            try store?.insert("Tag", ["label": .text("a")])
            let log = try #require(FileIdentity(path: path + "-wal"))
            let code = try Self.fork {
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
            let code = try Self.fork {
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

    /// Runs the work in a child, which ends with it.
    ///
    /// - Returns: The code of the store error that the work threw; nil when it threw none.
    private static func fork(_ work: () throws -> Void) throws -> StoreError.Code? {
        // Swift does not import fork, whose child has none of the parent's other threads. The work here
        // needs none.
        typealias Fork = @convention(c) () -> pid_t
        guard let program = dlopen(nil, RTLD_NOW), let symbol = dlsym(program, "fork") else {
            throw StoreError(.unsupported, "the system has no fork")
        }
        let fork = unsafeBitCast(symbol, to: Fork.self)
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else { throw StoreError(.io, "no pipe") }
        let child = fork()
        if child == 0 {
            // A child that waits for ever is ended by the system.
            alarm(60)
            var code = "none"
            do { try work() } catch { code = (error as? StoreError)?.code.rawValue ?? "\(error)" }
            _ = code.withCString { write(ends[1], $0, strlen($0)) }
            // Nothing of the parent's is run at this end.
            _exit(0)
        }
        close(ends[1])
        defer { close(ends[0]) }
        var bytes = [UInt8](repeating: 0, count: 200)
        let count = read(ends[0], &bytes, bytes.count)
        var status: Int32 = 0
        waitpid(child, &status, 0)
        let code = String(decoding: bytes.prefix(max(count, 0)), as: UTF8.self)
        guard status == 0, !code.isEmpty else { throw StoreError(.io, "the child died") }
        return code == "none" ? nil : StoreError.Code(rawValue: code)
    }
}
#endif
