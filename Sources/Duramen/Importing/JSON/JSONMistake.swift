/// A place where bytes are not JSON (RFC 8259), or not what the reader asked for.
package struct JSONMistake: Error {
    /// The index of the byte.
    package let offset: Int
    /// The problem, to be put behind a comma or a colon.
    package let problem: String

    package init(offset: Int, problem: String) {
        self.offset = offset
        self.problem = problem
    }
}
