/// How much memory to reserve for a batch of rows, learned from the batches before it.
///
/// Rows differ in size, so what one batch took says little about the next: a reservation never
/// takes more than ``mostReservedBytes``, however large the rows were. Memory that is missing is
/// added as rows come.
public struct RowBatchSize: Sendable {
    /// The most bytes that are reserved before there is a row for them.
    public static let mostReservedBytes = 1 << 20
    private static let mostRows = 1_024

    private var rowBytes = 128

    /// Expects rows of the usual size.
    public init() {}

    /// The number of rows to expect when at most so many are asked for.
    public func rows(atMost limit: Int) -> Int { min(limit, Self.mostRows) }

    /// The bytes to reserve for at most so many rows.
    public func bytes(forRows limit: Int) -> Int {
        // Both factors are bounded: a batch has less than 2^33 bytes.
        min(rowBytes * rows(atMost: limit), Self.mostReservedBytes)
    }

    /// Notes what the rows of a batch took, before it is finished.
    public mutating func note(_ builder: borrowing RowBatchBuilder) {
        if builder.count > 0 { rowBytes = builder.byteCount / builder.count + 8 }
    }
}
