/// A JSON pointer (RFC 6901): the way to a value in a document.
struct JSONPointer: CustomStringConvertible {
    /// The keys of objects and the indexes of arrays on the way.
    let tokens: [String]

    init(_ tokens: [String]) { self.tokens = tokens }

    /// Reads a pointer.
    ///
    /// - Throws: ``ImportError`` `.invalidMapping` when it does not begin with `/`.
    init(_ text: String) throws(ImportError) {
        if text.isEmpty {
            tokens = []
            return
        }
        guard text.hasPrefix("/") else {
            throw ImportError(
                .invalidMapping,
                "'\(text)' is not a JSON pointer. Begin it with '/', as in '/\(text)'.")
        }
        tokens = text.dropFirst().split(separator: "/", omittingEmptySubsequences: false).map {
            String($0.replacing("~1", with: "/").replacing("~0", with: "~"))
        }
    }

    var description: String {
        tokens.map { "/" + $0.replacing("~", with: "~0").replacing("/", with: "~1") }.joined()
    }
}
