public import Foundation

/// An error whose description is written for people. Programs that show `localizedDescription` show
/// the same text.
public protocol DescribedError: LocalizedError, CustomStringConvertible {}

// All requirements, so that the files of errors need not import Foundation for its defaults.
extension DescribedError {
    /// The same text as `description`.
    public var errorDescription: String? { description }

    /// Always nil: the description has the reason.
    public var failureReason: String? { nil }

    /// Always nil: the description has the remedy.
    public var recoverySuggestion: String? { nil }

    /// Always nil.
    public var helpAnchor: String? { nil }
}
