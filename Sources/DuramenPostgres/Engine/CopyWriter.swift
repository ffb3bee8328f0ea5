import CPostgres
import DuramenStore

/// Writes the rows of a COPY in binary form: a row begins with its number of columns, and each
/// column with its length. The header and the end are written by the connection.
struct CopyWriter {
    private let connection: Connection
    private let limits: RunLimits
    private var buffer: [UInt8]
    /// Why the copy failed, if it did.
    private(set) var failure: PostgresFailure?

    private static let chunkBytes = 64 << 10
    // Signature, flags, length of the extension (PostgreSQL: COPY, "Binary Format").
    private static let header: [UInt8] =
        Array("PGCOPY\n".utf8) + [0xFF, 0x0D, 0x0A, 0x00] + [0, 0, 0, 0, 0, 0, 0, 0]

    /// Begins with the header.
    init(_ connection: Connection, _ limits: RunLimits) {
        self.connection = connection
        self.limits = limits
        buffer = Self.header
        buffer.reserveCapacity(Self.chunkBytes * 2)
    }

    /// Begins a row.
    mutating func beginRow(columns: Int) throws(StoreError) {
        append(Int16(clamping: columns))
        if buffer.count >= Self.chunkBytes { try flush() }
    }

    /// Writes NULL.
    mutating func writeNull() { append(Int32(-1)) }

    /// Writes a `bigint`.
    mutating func write(bigint value: Int64) {
        append(Int32(8))
        append(value)
    }

    /// Writes an `integer`.
    mutating func write(integer value: Int32) {
        append(Int32(4))
        append(value)
    }

    /// Writes the binary form of a value.
    mutating func write(value bytes: UnsafeRawBufferPointer) {
        append(Int32(clamping: bytes.count))
        buffer.append(contentsOf: bytes)
    }

    /// Writes the binary form of a value.
    mutating func write(value bytes: some Collection<UInt8>) {
        append(Int32(clamping: bytes.count))
        buffer.append(contentsOf: bytes)
    }

    /// Writes a parameter as a value.
    mutating func write(_ parameter: Parameter) {
        if let bytes = parameter.bytes { write(value: bytes) } else { writeNull() }
    }

    /// Writes bytes that have the form of rows already.
    mutating func write(_ bytes: some Collection<UInt8>) throws(StoreError) {
        buffer.append(contentsOf: bytes)
        if buffer.count >= Self.chunkBytes { try flush() }
    }

    /// Writes the end of the data.
    mutating func end() throws(StoreError) {
        append(Int16(-1))
        try flush()
    }

    /// Hands what is buffered to the server, and waits until it is sent.
    private mutating func flush() throws(StoreError) {
        do throws(PostgresFailure) {
            try connection.putCopyData(buffer, limits)
        } catch {
            failure = error
            throw error.storeError(connection.place, during: "copy rows to")
        }
        buffer.removeAll(keepingCapacity: buffer.capacity <= Self.chunkBytes * 4)
    }

    private mutating func append(_ value: some FixedWidthInteger) {
        withUnsafeBytes(of: value.bigEndian) { buffer.append(contentsOf: $0) }
    }
}
