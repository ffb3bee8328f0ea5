import DuramenStore

/// What is printed when a store cannot be read.
struct StoreFailure: Error, CustomStringConvertible {
    let description: String

    init(_ error: StoreError) { description = PlainLine(error.description).text }
}
