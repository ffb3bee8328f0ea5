public import Foundation

// `localizedDescription` is what many programs show of an error.

extension FetchPredicateError: LocalizedError {
    /// The same text as `description`.
    public var errorDescription: String? { description }
}

extension PredicateConversionError: LocalizedError {
    /// The same text as `description`.
    public var errorDescription: String? { description }
}

extension PredicateFormatError: LocalizedError {
    /// The same text as `description`.
    public var errorDescription: String? { description }
}

extension RegularExpressionError: LocalizedError {
    /// The same text as `description`.
    public var errorDescription: String? { description }
}
