import DuramenQuery

/// What is printed when a format string makes no predicate: the message, the line, and a caret
/// below the place.
struct FormatFailure: Error, CustomStringConvertible {
    let description: String

    init(_ error: PredicateFormatError) {
        let message = "\(error.message) [\(error.code.rawValue)]"
        let place = error.description.dropFirst(message.count).split(separator: "\n")
        description = ([message] + place.map(String.init)).map { PlainLine($0).text }
            .joined(separator: "\n")
    }
}
