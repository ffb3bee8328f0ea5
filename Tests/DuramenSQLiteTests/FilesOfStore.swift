import DuramenModel
import DuramenStore
import DuramenTestKit
import Foundation
import StoreTestSupport

/// A file and the log beside it.
enum FilesOfStore {
    static func content(_ path: String) throws -> Data {
        try Data(contentsOf: URL(fileURLWithPath: path))
    }

    /// Puts a file and a log in the place of a store that is closed.
    static func place(_ file: Data, beside log: Data, at path: String) throws {
        for suffix in ["", "-wal", "-shm"] {
            try? FileManager.default.removeItem(atPath: path + suffix)
        }
        try file.write(to: URL(fileURLWithPath: path))
        if !log.isEmpty { try log.write(to: URL(fileURLWithPath: path + "-wal")) }
    }

    /// Opens a store of the library, and reads the numbers of pages of its books in their order.
    static func labels(_ path: String) throws -> [Int64] {
        let store = try Library.open(path)
        defer { try? store.close() }
        let rows = try QueryExecution(store.query("Book"), on: store, in: store.snapshot()).rows()
        let slot = try store.entity("Book").attributes.first { $0.name == "pages" }?.slot ?? 0
        return rows.map { $0.integer(slot) }.sorted()
    }
}
