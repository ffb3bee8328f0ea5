/// The limits for the memory of the rows that a store returns together.
///
/// The parts of a batch are addressed with 32 bits, and the size of rows is not known in advance.
/// Beyond the limit a store fails, and its caller asks for the rows in smaller groups.
public enum RowAnswerLimit {
    /// The limit for rows that are loaded by their IDs, in bytes.
    public static var bytes: Int { current }
    // Tests set a smaller limit.
    /// The present limit in bytes.
    @TaskLocal package static var current = 256 << 20
    /// The limit for rows that a store reads for its own use, in bytes.
    public static let mostBytes = 2 << 30
}
