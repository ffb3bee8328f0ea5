/// A mistake in an article or a snippet, with the place where it is.
public struct DocumentationError: Error, CustomStringConvertible {
    public let description: String

    init(_ path: String, _ line: Int? = nil, _ message: String) {
        description = "\(path)\(line.map { ":\($0)" } ?? ""): \(message)"
    }
}
