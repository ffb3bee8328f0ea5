public import DuramenModel

/// Several failures of reading and assigning properties, which accessors could not throw.
public struct FaultFailures: Error, Sendable, DescribedError {
    /// The failures, in the order in which they happened.
    public let errors: [any Error]

    /// One line per failure, for the first twenty.
    public var description: String {
        "\(errors.count) properties could not be read or assigned:\n" + listing(errors) { "\($0)" }
    }
}
