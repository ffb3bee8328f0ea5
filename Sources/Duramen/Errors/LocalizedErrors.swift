public import Foundation

// `localizedDescription` is what many programs show of an error.

extension ContextError: LocalizedError {
    /// The same text as `description`.
    public var errorDescription: String? { description }
}

extension FaultFailures: LocalizedError {
    /// The same text as `description`.
    public var errorDescription: String? { description }
}

extension IncompleteSaveError: LocalizedError {
    /// The same text as `description`.
    public var errorDescription: String? { description }
}

extension SaveConflictError: LocalizedError {
    /// The same text as `description`.
    public var errorDescription: String? { description }
}

extension ValidationError: LocalizedError {
    /// The same text as `description`.
    public var errorDescription: String? { description }
}
