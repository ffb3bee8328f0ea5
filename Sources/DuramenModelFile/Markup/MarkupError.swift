/// What is wrong with a text, and where.
struct MarkupError: Error {
    /// A sentence with the remedy.
    let message: String
    let place: SourcePlace
    /// Whether a limit was exceeded.
    var isLimit = false
}
