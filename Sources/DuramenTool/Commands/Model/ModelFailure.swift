import DuramenModelFile

/// The message for a model file that cannot be used; an error may take several lines.
struct ModelFailure: Error, CustomStringConvertible {
    let description: String

    init(_ error: ModelFileError) {
        description = error.description.split(separator: "\n").map { PlainLine(String($0)).text }
            .joined(separator: "\n")
    }
}
