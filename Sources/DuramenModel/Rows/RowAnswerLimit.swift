/// How much memory the rows may take that a store hands out in one piece.
///
/// The parts of a batch are addressed with 32 bits, and whoever asks for hundreds of rows seldom
/// knows how large they are. Beyond the limit a store refuses, and the same rows are asked for in
/// smaller groups.
public enum RowAnswerLimit {
    /// For rows that are asked for by their IDs, in bytes.
    public static var bytes: Int { current }
    // Tests make it smaller.
    @TaskLocal package static var current = 256 << 20
    /// For rows that a store reads for itself, in bytes.
    public static let mostBytes = 2 << 30
}
