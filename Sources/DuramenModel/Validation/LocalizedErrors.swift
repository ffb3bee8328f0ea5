public import Foundation

// `localizedDescription` is what many programs show of an error.

extension ModelError: LocalizedError {
    /// The same text as `description`.
    public var errorDescription: String? { description }
}

extension FrozenModelError: LocalizedError {
    /// The same text as `description`.
    public var errorDescription: String? { description }
}
