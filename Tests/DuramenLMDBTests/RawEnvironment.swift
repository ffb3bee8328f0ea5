import DuramenFileStore
import DuramenStore
import Foundation
import StoreTestSupport

@testable import DuramenLMDB

/// An environment of the engine without a store, as another program would use it.
enum RawEnvironment {
    /// Runs `body` in a transaction that writes, in a folder that no store has open.
    static func write(
        _ path: String, _ body: (Transaction) throws(StoreError) -> Void
    ) throws {
        try? FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        let data = path + "/data.mdb"
        if !FileManager.default.fileExists(atPath: data) {
            try writeFile(data)
        }
        guard let claim = try OpenStoreFile.claim(data, prepare: { _ in }) else {
            throw StoreError(.io, "no file")
        }
        let environment = try Environment(
            StoreFolder(path), isReadOnly: false, claim: claim, mapBytes: 1 << 26,
            onEnd: { $0.end() })
        defer { environment.close() }
        let transaction = try Transaction.writing(
            environment, durability: .full, timeoutSeconds: 1)
        do {
            try body(transaction)
        } catch {
            transaction.abort()
            throw error
        }
        guard transaction.commit() == 0 else { throw StoreError(.io, "no commit") }
    }

    /// Makes an environment with somebody else's table.
    static func makeForeign(_ path: String) throws {
        try write(path) { (transaction) throws(StoreError) in
            guard let table = try transaction.table("theirs", creates: true) else { return }
            try Array("key".utf8).withBytes { (bytes) throws(StoreError) in
                try transaction.put(bytes, for: bytes, in: table)
            }
        }
    }
}
