import CBenchmarkSQLite

/// A prepared statement, made once and run many times.
final class RawStatement {
    private let handle: OpaquePointer

    init(_ handle: OpaquePointer) {
        self.handle = handle
    }

    deinit {
        sqlite3_finalize(handle)
    }

    /// Goes to the next row.
    ///
    /// - Returns: Whether there is one; after the last the statement is ready to run again.
    @inline(__always)
    func step() throws -> Bool {
        let code = sqlite3_step(handle)
        if code == SQLITE_ROW { return true }
        sqlite3_reset(handle)
        guard code == SQLITE_DONE else { throw failure() }
        return false
    }

    /// Runs a statement that gives no rows.
    @inline(__always)
    func run() throws {
        while try step() {}
    }

    /// Makes the statement ready to run again before its last row.
    @inline(__always)
    func reset() {
        sqlite3_reset(handle)
    }

    private func failure() -> RawError {
        RawError(message: String(cString: sqlite3_errmsg(sqlite3_db_handle(handle))))
    }

    // MARK: - Columns, counted from 0

    @inline(__always)
    func integer(_ column: Int32) -> Int64 {
        sqlite3_column_int64(handle, column)
    }

    @inline(__always)
    func optionalInteger(_ column: Int32) -> Int64? {
        sqlite3_column_type(handle, column) == SQLITE_NULL ? nil : integer(column)
    }

    @inline(__always)
    func double(_ column: Int32) -> Double {
        sqlite3_column_double(handle, column)
    }

    @inline(__always)
    func text(_ column: Int32) -> String {
        guard let bytes = sqlite3_column_text(handle, column) else { return "" }
        // SQLite keeps the bytes until the next step, and the string is made before that.
        let count = Int(sqlite3_column_bytes(handle, column))
        return String(decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self)
    }

    // MARK: - Parameters, counted from 1

    @inline(__always)
    func bind(_ value: Int64?, at parameter: Int32) {
        if let value {
            sqlite3_bind_int64(handle, parameter, value)
        } else {
            sqlite3_bind_null(handle, parameter)
        }
    }

    @inline(__always)
    func bind(_ value: Double, at parameter: Int32) {
        sqlite3_bind_double(handle, parameter, value)
    }

    /// Binds text that SQLite copies; nil binds null.
    func bind(copied text: String?, at parameter: Int32) {
        guard let text else {
            sqlite3_bind_null(handle, parameter)
            return
        }
        // SQLITE_TRANSIENT, whose C definition Swift cannot read: SQLite makes its own copy.
        let copies = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
        sqlite3_bind_text(handle, parameter, text, -1, copies)
    }

    /// Binds bytes without copying them: they must stay where they are until the statement has run.
    @inline(__always)
    func bind(pinned text: UnsafeBufferPointer<UInt8>, at parameter: Int32) {
        text.withMemoryRebound(to: CChar.self) { bytes in
            // No destructor means that SQLite neither copies nor frees.
            _ = sqlite3_bind_text(handle, parameter, bytes.baseAddress, Int32(bytes.count), nil)
        }
    }
}
