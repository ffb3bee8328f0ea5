/// The errors of loading that accessors could not throw, and the application's closures for them.
struct ReadFailures {
    /// The errors since the last save. The next save throws them.
    private(set) var errors: [any Error] = []
    /// The application's closure that is called with each error at once.
    var observer: ((ManagedObject, any Error) -> Void)?
    /// Whether an object that is missing in the store counts as deleted.
    var countsAsDeleted = false
    /// The application's closure that decides this for each such object.
    var judge: ((ManagedObject) -> Bool)?

    mutating func record(_ error: any Error) { errors.append(error) }

    /// Returns and clears the errors, which a save throws.
    mutating func take() -> [any Error] {
        defer { errors = [] }
        return errors
    }
}
