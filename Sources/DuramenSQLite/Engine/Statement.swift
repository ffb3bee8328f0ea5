import CSQLite
import DuramenFileStore
import DuramenModel
import DuramenSQL
import DuramenStore

/// A prepared statement, confined to its connection.
final class Statement {
    let handle: OpaquePointer
    let sql: String
    /// The key in the connection's cache; nil when it is kept elsewhere.
    var key: StatementKey?
    /// The number of its text, if the connection caches it as the statement of a query.
    var number: Int?
    /// The start of the run, for diagnostics.
    var startedAt: ContinuousClock.Instant?

    // The engine keeps a connection's file open until its last statement is finalized.
    private let file: OpenStoreFile

    init(handle: OpaquePointer, sql: String, file: OpenStoreFile) {
        self.file = file
        self.handle = handle
        self.sql = sql
    }

    // Finalizing a statement may end a transaction and release locks, which a child made by fork
    // must not do.
    deinit { if !file.isInherited { sqlite3_finalize(handle) } }

    @inline(__always) func step() -> Int32 { sqlite3_step(handle) }

    @inline(__always) func bind(_ value: Int64, at place: Int32) {
        sqlite3_bind_int64(handle, place, value)
    }

    /// Binds one value; its bytes are copied.
    func bind(_ parameter: SQLParameter, at place: Int32) {
        switch parameter {
        case .null: sqlite3_bind_null(handle, place)
        case .integer(let value): sqlite3_bind_int64(handle, place, value)
        case .double(let value): sqlite3_bind_double(handle, place, value)
        case .text(let text): text.withUTF8 { bindText($0, at: place, copied: true) }
        case .textBytes(let bytes):
            bytes.withUnsafeBytes { bindText($0, at: place, copied: true) }
        case .bytes(let bytes): bytes.withUnsafeBytes { bindBytes($0, at: place, copied: true) }
        case .decimal, .list: preconditionFailure("The dialect of SQLite has no such parameters.")
        }
    }

    func bind(_ parameters: [SQLParameter]) {
        for (place, parameter) in parameters.enumerated() {
            bind(parameter, at: Int32(place + 1))
        }
    }

    /// Binds text. Bytes that are not copied must stay valid until the run ends.
    @inline(__always) func bindText(
        _ bytes: UnsafeRawBufferPointer, at place: Int32, copied: Bool = false
    ) {
        Self.bindText(bytes, to: handle, at: place, copied: copied)
    }

    /// Binds a blob. Bytes that are not copied must stay valid until the run ends.
    @inline(__always) func bindBytes(
        _ bytes: UnsafeRawBufferPointer, at place: Int32, copied: Bool = false
    ) {
        Self.bindBytes(bytes, to: handle, at: place, copied: copied)
    }

    @inline(__always) static func bindText(
        _ bytes: UnsafeRawBufferPointer, to handle: OpaquePointer, at place: Int32,
        copied: Bool = false
    ) {
        // A null pointer would bind NULL, and an empty buffer may have no address.
        let start = bytes.baseAddress ?? noBytes
        // Sound: bytes may be read as characters.
        sqlite3_bind_text(
            handle, place, start.assumingMemoryBound(to: CChar.self), Int32(clamping: bytes.count),
            copied ? copy : nil)
    }

    @inline(__always) static func bindBytes(
        _ bytes: UnsafeRawBufferPointer, to handle: OpaquePointer, at place: Int32,
        copied: Bool = false
    ) {
        let start = bytes.baseAddress ?? noBytes
        sqlite3_bind_blob(
            handle, place, start, Int32(clamping: bytes.count), copied ? copy : nil)
    }

    // Sound: SQLITE_TRANSIENT is the destructor with all bits set, which is never called.
    private static var copy: sqlite3_destructor_type {
        unsafeBitCast(-1, to: sqlite3_destructor_type.self)
    }

    // Sound: never read, since its length is 0, and never written.
    nonisolated(unsafe) private static let noBytes = UnsafeRawPointer(
        UnsafeMutableRawPointer.allocate(byteCount: 1, alignment: 1))
}

/// The shape of a request, which determines its statement.
struct StatementKey: Hashable {
    /// The purpose of the statement.
    var purpose: Purpose
    /// The index of a table, entity or relationship.
    var place: Int
    /// Any other distinction between shapes.
    var clause: String

    enum Purpose: UInt8 {
        case lookup, batch, destinations, insert, delete, edges, other
    }
}
