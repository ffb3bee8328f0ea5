#if os(Linux)
import DuramenModel
import DuramenQuery
import DuramenStore
import Foundation
import Testing

@testable import DuramenLMDB

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
        case read, cursor, save, snapshot, close, open, metadata, release
    }

    @Test(
        "A child made by fork is refused, whatever it does, and its parent goes on",
        arguments: Use.allCases)
    func aChildIsRefused(_ use: Use) async throws {
        let path = folder.file()
        await #expect(processExitsWith: .success) { [path = path as String, use = use as Use] in
            let description = PersistentStoreDescription.lmdb(path).timeout(seconds: 1)
            let store = try description.open(model: Library.model)
            let id = try store.insert("Tag", ["label": .text("a")])
            let snapshot = try store.snapshot()
            let query = try store.query("Tag")
            var cursor: (any StoreCursor)? = try snapshot.cursor(query)
            var passing: (any StoreSnapshot)? = snapshot
            let code = try Self.fork {
                switch use {
                case .read: _ = try snapshot.rows(for: [id])
                case .cursor: _ = try cursor?.next(maximumRows: 1)
                case .save: _ = try store.save(ChangeSet(metadata: ["child": .boolean(true)]))
                case .snapshot: _ = try store.snapshot()
                case .close:
                    try store.close()
                    throw StoreError(.usedAfterFork, "closing does nothing")
                case .open: _ = try description.open(model: Library.model)
                case .metadata: _ = try LMDBStoreType().metadata(of: description)
                case .release:
                    // The end of what the parent goes on using.
                    cursor = nil
                    passing = nil
                    throw StoreError(.usedAfterFork, "letting go does nothing")
                }
            }
            let before = try snapshot.rows(for: [id]).count
            let next = try store.insert("Tag", ["label": .text("b")])
            let facts = [
                code == .usedAfterFork, before == 1, passing != nil,
                try cursor?.next(maximumRows: 5)?.count == 1,
                try store.value(next, "label") == .text("b"), try snapshot.count(query) == 1,
                try store.snapshot().count(query) == 2, try store.metadata().userInfo.isEmpty,
            ]
            try store.close()
            guard facts.allSatisfy({ $0 }) else {
                throw StoreError(.io, "\(facts), \(code?.rawValue ?? "no error")")
            }
        }
        let store = try PersistentStoreDescription.lmdb(path).open(model: Library.model)
        #expect(try store.snapshot().count(store.query("Tag")) == 2)
        try store.close()
    }

    @Test("A child that ends leaves the locks of its parent alone")
    func theLocksStay() async throws {
        let path = folder.file()
        await #expect(processExitsWith: .success) { [path = path as String] in
            let description = PersistentStoreDescription.lmdb(path).timeout(seconds: 1)
            let store = try description.open(model: Library.model)
            try store.insert("Tag")
            let code = try Self.fork { throw StoreError(.closed, "nothing done") }
            guard code == .closed else { throw StoreError(.io, "no child") }
            guard let other = try? StoreFolder(path),
                let second = try? Presence(other, isReadOnly: false)
            else { throw StoreError(.io, "no second user") }
            defer { second.end() }
            if second.isFirst || second.becomeOnly() {
                throw StoreError(.io, "the child took the parent's lock with it")
            }
            try store.insert("Tag")
            try store.close()
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
