import CSQLite
import DuramenFileStore
import DuramenStore

/// The SQL functions of ``RowChecksums``.
enum ChecksumFunctions {
    /// `duramen_sum(sum, value, …)`: a checksum that goes on with values; the first one is null.
    static let sum = "duramen_sum"
    /// `duramen_check(version, sum)`: the entry of a row in the table of checksums.
    static let check = "duramen_check"
    /// `duramen_is_altered(version, sum, check)`: 1 for a row that differs from its checksum.
    static let isAltered = "duramen_is_altered"
    /// `duramen_checked_key(key, entity, version, sum, check)`: the key; an error for a row that
    /// differs from its checksum.
    static let checkedKey = "duramen_checked_key"

    /// The engine's default limit of arguments is 127.
    static let mostValues = 100

    static func register(on connection: Connection) throws(StoreError) {
        try register(sum, -1, on: connection) { context, count, arguments in
            guard let arguments else { return }
            ChecksumFunctions.sum(context, Int(count), arguments)
        }
        try register(check, 2, on: connection) { context, _, arguments in
            guard let arguments else { return }
            StoredCheck(
                version: sqlite3_value_int64(arguments[0]),
                sum: UInt32(truncatingIfNeeded: sqlite3_value_int64(arguments[1]))
            ).withBytes {
                // Sound: SQLITE_TRANSIENT has the engine copy the bytes.
                sqlite3_result_blob(
                    context, $0.baseAddress, Int32($0.count),
                    unsafeBitCast(-1, to: sqlite3_destructor_type.self))
            }
        }
        try register(isAltered, 3, on: connection) { context, _, arguments in
            guard let arguments else { return }
            sqlite3_result_int(context, ChecksumFunctions.isAltered(arguments) ? 1 : 0)
        }
        try register(checkedKey, 5, on: connection) { context, _, arguments in
            guard let arguments else { return }
            if ChecksumFunctions.isAltered(arguments + 2) {
                ChecksumFunctions.fail(context, arguments)
            } else {
                sqlite3_result_value(context, arguments[0])
            }
        }
    }

    private typealias Function =
        @convention(c) (OpaquePointer?, Int32, UnsafeMutablePointer<OpaquePointer?>?) -> Void

    private static func register(
        _ name: String, _ count: Int32, on connection: Connection, _ function: Function
    ) throws(StoreError) {
        // Only Duramen's statements may call them, never a schema of the file.
        let flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_DIRECTONLY
        let result = sqlite3_create_function_v2(
            connection.handle, name, count, flags, nil, function, nil, nil, nil)
        if result != SQLITE_OK { throw connection.error(result, "open") }
    }

    // MARK: - Values

    private static func sum(
        _ context: OpaquePointer?, _ count: Int, _ arguments: UnsafeMutablePointer<OpaquePointer?>
    ) {
        let isFirst = sqlite3_value_type(arguments[0]) == SQLITE_NULL
        var sum =
            isFirst
            ? Checksum()
            : Checksum(after: UInt32(truncatingIfNeeded: sqlite3_value_int64(arguments[0])))
        for place in 1..<max(1, count) {
            let value = arguments[place]
            // The type belongs to the value: the integer 0 is not the empty text.
            let type = sqlite3_value_type(value)
            switch type {
            case SQLITE_INTEGER: add(type, UInt64(bitPattern: sqlite3_value_int64(value)), to: &sum)
            case SQLITE_FLOAT: add(type, sqlite3_value_double(value).bitPattern, to: &sum)
            case SQLITE_TEXT, SQLITE_BLOB:
                let start = sqlite3_value_blob(value)
                let length = start == nil ? 0 : Int(sqlite3_value_bytes(value))
                add(type, UInt64(length), to: &sum)
                sum.add(UnsafeRawBufferPointer(start: start, count: length))
            default: add(type, 0, to: &sum)
            }
        }
        sqlite3_result_int64(context, Int64(sum.value))
    }

    @inline(__always) private static func add(
        _ type: Int32, _ word: UInt64, to sum: inout Checksum
    ) {
        let words = (UInt64(UInt32(bitPattern: type)).littleEndian, word.littleEndian)
        withUnsafeBytes(of: words) { sum.add($0) }
    }

    // MARK: - Checks

    /// - Parameter arguments: The version of a row, its checksum, and what the table has for it.
    private static func isAltered(_ arguments: UnsafeMutablePointer<OpaquePointer?>) -> Bool {
        let stored = arguments[2]
        // Written by another program, which keeps no checksums.
        if sqlite3_value_type(stored) == SQLITE_NULL { return false }
        let start = sqlite3_value_blob(stored)
        let count = start == nil ? 0 : Int(sqlite3_value_bytes(stored))
        guard let known = StoredCheck(UnsafeRawBufferPointer(start: start, count: count)) else {
            return true
        }
        let version = sqlite3_value_int64(arguments[0])
        if version != known.version { return version < known.version }
        return UInt32(truncatingIfNeeded: sqlite3_value_int64(arguments[1])) != known.sum
    }

    private static func fail(
        _ context: OpaquePointer?, _ arguments: UnsafeMutablePointer<OpaquePointer?>
    ) {
        let entity = sqlite3_value_text(arguments[1]).map { String(cString: $0) } ?? ""
        sqlite3_result_error(context, "\(entity)/p\(sqlite3_value_int64(arguments[0]))", -1)
        // The engine itself never returns this code. Its code for damage would keep the connection
        // from writing.
        sqlite3_result_error_code(context, SQLITE_FORMAT)
    }
}

/// The entry of a row in the table of checksums: its version and checksum, 12 bytes.
struct StoredCheck: Equatable {
    var version: Int64
    var sum: UInt32

    init(version: Int64, sum: UInt32) {
        self.version = version
        self.sum = sum
    }

    /// Reads the bytes; nil for bytes that are none.
    init?(_ bytes: UnsafeRawBufferPointer) {
        guard bytes.count == 12 else { return nil }
        version = Int64(bigEndian: bytes.loadUnaligned(as: Int64.self))
        sum = UInt32(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt32.self))
    }

    func withBytes(_ body: (UnsafeRawBufferPointer) -> Void) {
        withUnsafeTemporaryAllocation(byteCount: 12, alignment: 8) { bytes in
            bytes.storeBytes(of: version.bigEndian, as: Int64.self)
            bytes.storeBytes(of: sum.bigEndian, toByteOffset: 8, as: UInt32.self)
            body(UnsafeRawBufferPointer(bytes))
        }
    }
}
