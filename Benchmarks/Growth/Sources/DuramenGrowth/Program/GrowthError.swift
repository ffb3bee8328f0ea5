/// Why work cannot be measured.
enum GrowthError: Error {
    /// What was asked did not get the answer that the work is about.
    case wrongAnswer
    /// The instructions of a run could not be counted.
    case notCounted(String)
}

/// Checks an answer that work depends on.
func expect(_ holds: Bool) throws {
    if !holds { throw GrowthError.wrongAnswer }
}
