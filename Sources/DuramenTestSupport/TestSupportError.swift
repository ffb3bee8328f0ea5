public import Duramen

/// A fixture that cannot be loaded, or an entity that cannot be dumped. Nothing was changed.
public struct TestSupportError: Error, Sendable, DescribedError {
    /// The kind of the problem.
    public enum Code: String, Sendable, Hashable, CaseIterable {
        /// Elements of the fixture were refused.
        case refusedElements
        /// The graph is not a JSON object whose keys are names of entities.
        case malformedGraph
        /// The model has no such entity.
        case unknownEntity
        /// The context has changes that are not saved.
        case unsavedChanges
    }

    /// The kind of the problem.
    public let code: Code
    /// A description of the problem and its remedy.
    public let message: String
    /// The elements that were refused, with pointers and reasons; empty for other codes.
    public let failures: [ImportFailure]

    /// The message, and the code by which `docs/errors.md` lists it.
    public var description: String { "\(message) [\(code.rawValue)]" }

    init(_ code: Code, _ message: String, failures: [ImportFailure] = []) {
        self.code = code
        self.message = message
        self.failures = failures
    }
}
