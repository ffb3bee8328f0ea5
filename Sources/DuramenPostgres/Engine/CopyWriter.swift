import CPostgres
import DuramenStore

/// Writes the rows of a COPY in binary form: a row begins with its number of columns, and each
/// column with its length. The header and the end are written by the connection.
struct CopyWriter: BinaryValueSink {
    private let connection: Connection
    let limits: RunLimits
    /// What is not sent yet.
    var bytes: [UInt8]
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
        bytes = Self.header
        bytes.reserveCapacity(Self.chunkBytes * 2)
    }

    /// Begins a row.
    mutating func beginRow(columns: Int) throws(StoreError) {
        bytes.append(bigEndian: Int16(clamping: columns))
        if bytes.count >= Self.chunkBytes { try flush() }
    }

    mutating func noteValue(isNull: Bool) {}

    /// Writes bytes that have the form of rows already.
    mutating func write(_ rows: some Collection<UInt8>) throws(StoreError) {
        bytes.append(contentsOf: rows)
        if bytes.count >= Self.chunkBytes { try flush() }
    }

    /// Writes the end of the data.
    mutating func end() throws(StoreError) {
        bytes.append(bigEndian: Int16(-1))
        try flush()
    }

    /// Hands what is not sent yet to the server, and waits until it is sent.
    private mutating func flush() throws(StoreError) {
        do throws(PostgresFailure) {
            try connection.putCopyData(bytes, limits)
        } catch {
            failure = error
            throw error.storeError(connection.place, during: "copy rows to")
        }
        bytes.removeAll(keepingCapacity: bytes.capacity <= Self.chunkBytes * 4)
    }
}
