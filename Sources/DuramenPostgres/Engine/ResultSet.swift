import CPostgres

/// The result of a statement, in binary form.
// Sound: libpq does not change a result once it is made, and any thread may read it
// (libpq-threading); it is cleared once, with the object.
final class ResultSet: @unchecked Sendable {
    private let handle: OpaquePointer
    /// The number of rows.
    let rowCount: Int
    /// The number of columns.
    let columnCount: Int

    /// Takes ownership of a result.
    init(_ handle: OpaquePointer) {
        self.handle = handle
        rowCount = Int(PQntuples(handle))
        columnCount = Int(PQnfields(handle))
    }

    deinit { PQclear(handle) }

    /// How many rows the statement inserted, updated, deleted, selected or copied.
    var affectedRows: Int { PQcmdTuples(handle).flatMap { Int(String(cString: $0)) } ?? 0 }

    /// The action of the server, such as `INSERT 0 1` or `ROLLBACK`.
    var command: String { PQcmdStatus(handle).map { String(cString: $0) } ?? "" }

    /// The type of a column.
    func type(ofColumn column: Int) -> PostgresType {
        PostgresType(rawValue: PQftype(handle, Int32(column)))
    }

    /// Whether a value is NULL; the row and the column must exist.
    @inline(__always) func isNull(_ row: Int, _ column: Int) -> Bool {
        PQgetisnull(handle, Int32(truncatingIfNeeded: row), Int32(truncatingIfNeeded: column)) != 0
    }

    /// The binary form of a value, empty for NULL. It is valid while the result lives.
    @inline(__always) func bytes(_ row: Int, _ column: Int) -> UnsafeRawBufferPointer {
        let (row, column) = (Int32(truncatingIfNeeded: row), Int32(truncatingIfNeeded: column))
        return UnsafeRawBufferPointer(
            start: PQgetvalue(handle, row, column), count: Int(PQgetlength(handle, row, column)))
    }

    /// The binary form of a value; nil for NULL. It is valid while the result lives.
    @inline(__always) func value(_ row: Int, _ column: Int) -> UnsafeRawBufferPointer? {
        let bytes = bytes(row, column)
        // Each question costs a call with its checks, and few values are empty.
        return bytes.isEmpty && isNull(row, column) ? nil : bytes
    }

    /// A `bigint`, `integer` or `smallint`; nil for NULL.
    func int64(_ row: Int, _ column: Int) -> Int64? {
        isNull(row, column) ? nil : BinaryValue.anyInteger(bytes(row, column))
    }

    /// An `integer`; nil for NULL.
    func int32(_ row: Int, _ column: Int) -> Int32? {
        isNull(row, column) ? nil : BinaryValue.int32(bytes(row, column))
    }

    /// A `double precision`; nil for NULL.
    func double(_ row: Int, _ column: Int) -> Double? {
        isNull(row, column) ? nil : BinaryValue.double(bytes(row, column))
    }

    /// A `boolean`; nil for NULL.
    func bool(_ row: Int, _ column: Int) -> Bool? {
        isNull(row, column) ? nil : BinaryValue.bool(bytes(row, column))
    }

    /// A `text` as it is stored; nil for NULL.
    func text(_ row: Int, _ column: Int) -> String? {
        isNull(row, column) ? nil : String(decoding: bytes(row, column), as: UTF8.self)
    }
}
