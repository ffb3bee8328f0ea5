/// What could not be read of a context's objects, and who is told and asked of it.
struct ReadFailures {
    /// The errors since the last save, which throws them.
    private(set) var errors: [any Error] = []
    /// Who is told of each at once.
    var observer: ((ManagedObject, any Error) -> Void)?
    /// Whether an object whose row is gone counts as deleted.
    var countsAsDeleted = false
    /// Decides that for each such object.
    var judge: ((ManagedObject) -> Bool)?

    mutating func record(_ error: any Error) { errors.append(error) }

    /// Takes the errors out that a save throws.
    mutating func take() -> [any Error] {
        defer { errors = [] }
        return errors
    }
}
