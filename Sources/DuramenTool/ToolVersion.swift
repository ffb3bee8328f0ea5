/// The version of this program and of the library.
enum ToolVersion {
    /// The newest version in CHANGELOG.md; a test compares them.
    static let text = "0.1.0"
}
