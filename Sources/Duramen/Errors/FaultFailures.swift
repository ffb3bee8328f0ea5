public import DuramenModel

/// Several errors of loading and assigning properties that accessors could not throw.
public struct FaultFailures: Error, Sendable, DescribedError {
    /// The errors, in the order in which they occurred.
    public let errors: [any Error]

    /// One line per error, for the first twenty.
    public var description: String {
        "\(errors.count) properties could not be read or assigned:\n" + listing(errors) { "\($0)" }
    }
}
