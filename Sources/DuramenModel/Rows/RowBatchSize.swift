/// The amount of memory to reserve for a batch of rows, estimated from the previous batches.
///
/// Rows differ in size, so one batch says little about the next. A reservation never exceeds
/// ``mostReservedBytes``, however large the rows were. More memory is allocated when rows need it.
public struct RowBatchSize: Sendable {
    /// The maximum number of bytes that are reserved in advance.
    public static let mostReservedBytes = 1 << 20
    private static let mostRows = 1_024

    private var rowBytes = 128

    /// Creates an estimate for rows of the usual size.
    public init() {}

    /// Returns the number of rows to expect for a limit.
    public func rows(atMost limit: Int) -> Int { min(limit, Self.mostRows) }

    /// Returns the number of bytes to reserve for a limit of rows.
    public func bytes(forRows limit: Int) -> Int {
        // Both factors are bounded: a batch has less than 2^33 bytes.
        min(rowBytes * rows(atMost: limit), Self.mostReservedBytes)
    }

    /// Updates the estimate with the rows of a batch, before the batch is finished.
    public mutating func note(_ builder: borrowing RowBatchBuilder) {
        if builder.count > 0 { rowBytes = builder.byteCount / builder.count + 8 }
    }
}
