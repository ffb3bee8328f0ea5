import DuramenStore

/// The message for a store that cannot be read.
struct StoreFailure: Error, CustomStringConvertible {
    let description: String

    init(_ error: StoreError) { description = PlainLine(error.description).text }
}
