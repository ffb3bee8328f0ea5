import DuramenModelFile

/// What is printed when a model file cannot be used; a mistake may take several lines.
struct ModelFailure: Error, CustomStringConvertible {
    let description: String

    init(_ error: ModelFileError) {
        description = error.description.split(separator: "\n").map { PlainLine(String($0)).text }
            .joined(separator: "\n")
    }
}
