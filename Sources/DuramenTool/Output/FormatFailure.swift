import DuramenQuery

/// The message for an invalid format string: the error, the line, and a caret below the position.
struct FormatFailure: Error, CustomStringConvertible {
    let description: String

    init(_ error: PredicateFormatError) {
        let message = "\(error.message) [\(error.code.rawValue)]"
        let place = error.description.dropFirst(message.count).split(separator: "\n")
        description = ([message] + place.map(String.init)).map { PlainLine($0).text }
            .joined(separator: "\n")
    }
}
