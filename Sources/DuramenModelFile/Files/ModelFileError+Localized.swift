public import Foundation

// `localizedDescription` is what many programs show of an error.

extension ModelFileError: LocalizedError {
    /// The same text as `description`.
    public var errorDescription: String? { description }
}
