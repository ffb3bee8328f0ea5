/// A place where bytes are not JSON (RFC 8259), or not what the reader asked for.
struct JSONMistake: Error {
    /// The index of the byte.
    let offset: Int
    /// The problem, to be put behind a comma or a colon.
    let problem: String
}
