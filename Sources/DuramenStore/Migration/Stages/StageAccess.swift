package import DuramenModel

/// The working copy of a store, for a handler or a step that opens it.
package final class StageAccess: Sendable {
    /// The copy.
    package let description: PersistentStoreDescription
    /// The current model of the copy.
    package let model: ManagedObjectModel
    private let state = Locked<(opened: (any StageResource)?, failure: (any Error)?)>((nil, nil))

    init(_ description: PersistentStoreDescription, _ model: ManagedObjectModel) {
        self.description = description
        self.model = model
    }

    /// Opens the copy once; it is closed after the handler has returned.
    ///
    /// - Returns: Nil if the copy cannot be opened. The migration throws the reason.
    package func resource<Resource: StageResource>(
        _ open: (PersistentStoreDescription, ManagedObjectModel) throws -> Resource
    ) -> Resource? {
        state.withLock { state in
            if let opened = state.opened { return opened as? Resource }
            do {
                let opened = try open(description, model)
                state.opened = opened
                return opened
            } catch {
                state.failure = error
                return nil
            }
        }
    }

    /// Runs a handler or a step, and closes what it opened.
    func run(_ body: () throws -> Void) throws {
        let result = Result { try body() }
        let (opened, failure) = state.withLock { state in
            defer { state.opened = nil }
            return (state.opened, state.failure)
        }
        // The failure to open the copy is the cause of the handler's failure.
        if let failure { throw failure }
        let closing = Result { try opened?.close() }
        try result.get()
        try closing.get()
    }
}

/// An open working copy, such as a container.
package protocol StageResource: AnyObject, Sendable {
    func close() throws
}
