/// An error in a text, with its position.
struct MarkupError: Error {
    /// A sentence with the remedy.
    let message: String
    let place: SourcePlace
    /// Whether a limit was exceeded.
    var isLimit = false
}
