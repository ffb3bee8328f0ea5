public import Foundation

// `localizedDescription` is what many programs show of an error.

extension StoreError: LocalizedError {
    /// The same text as `description`.
    public var errorDescription: String? { description }
}
