/// Why work cannot be measured.
enum GrowthError: Error {
    /// What was asked did not get the answer that the work is about.
    case wrongAnswer
    /// The instructions of a run could not be counted.
    case notCounted(String)
}
