/// The failed reads of a context: their errors, and the application's functions that hear of them.
struct ReadFailures {
    /// The errors since the last save. The next save throws them.
    private(set) var errors: [any Error] = []
    /// The application's function that gets each error at once.
    var observer: ((ManagedObject, any Error) -> Void)?
    /// Whether an object whose row is gone counts as deleted.
    var countsAsDeleted = false
    /// The application's function that decides this for each such object.
    var judge: ((ManagedObject) -> Bool)?

    mutating func record(_ error: any Error) { errors.append(error) }

    /// Removes and returns the errors, which a save throws.
    mutating func take() -> [any Error] {
        defer { errors = [] }
        return errors
    }
}
