public import Foundation

/// An error whose description is written for people. Its `localizedDescription` is that
/// description.
public protocol DescribedError: LocalizedError, CustomStringConvertible {}

// Implements all requirements, so that the files of errors need not import Foundation for its
// defaults.
extension DescribedError {
    /// The error's `description`.
    public var errorDescription: String? { description }

    /// Always nil: the description has the reason.
    public var failureReason: String? { nil }

    /// Always nil: the description has the remedy.
    public var recoverySuggestion: String? { nil }

    /// Always nil.
    public var helpAnchor: String? { nil }
}
