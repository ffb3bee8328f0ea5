public import DuramenModel

/// An import that cannot begin or go on. Chunks that were saved before stay saved.
public struct ImportError: Error, Sendable, DescribedError {
    /// The kind of the problem.
    public enum Code: String, Sendable, Hashable, CaseIterable {
        /// The bytes of the feed cannot be read.
        case unreadable
        /// The feed is not JSON, or has no array where the elements should be.
        case malformed
        /// The mapping names a property that the entity does not have, or lacks a natural key.
        case invalidMapping
        /// The context has changes that are not saved.
        case unsavedChanges
        /// An element was refused, and the options ask to fail then.
        case refused
        /// The import was cancelled.
        case cancelled
    }

    /// The kind of the problem.
    public let code: Code
    /// A description of the problem and its remedy.
    public let message: String
    /// The element that was refused; nil for other codes.
    public let failure: ImportFailure?
    /// The position behind the elements that are saved. Pass it in the options of the next import
    /// to go on there.
    public internal(set) var position = ImportPosition()

    /// The message, and the code by which `docs/errors.md` lists it.
    public var description: String { "\(message) [\(code.rawValue)]" }

    init(_ code: Code, _ message: String, failure: ImportFailure? = nil) {
        self.code = code
        self.message = message
        self.failure = failure
    }
}
