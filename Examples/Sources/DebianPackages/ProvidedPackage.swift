/// A package name that another package offers in its `Provides` field.
public struct ProvidedPackage: Sendable, Hashable, CustomStringConvertible {
    /// The name that is provided.
    public var name: String
    /// What follows the colon after the name, or `nil`.
    public var architectureQualifier: String?
    /// The exact version that is provided, or `nil` when the field states none.
    public var version: String?

    /// Creates a provided name, with its version when there is one.
    public init(name: String, architectureQualifier: String? = nil, version: String? = nil) {
        self.name = name
        self.architectureQualifier = architectureQualifier
        self.version = version
    }

    /// The provided name in the syntax of the field.
    public var description: String {
        let qualified = architectureQualifier.map { "\(name):\($0)" } ?? name
        return version.map { "\(qualified) (= \($0))" } ?? qualified
    }

    /// Reads the value of a `Provides` field such as `mail-transport-agent, libfoo (= 1.2)`.
    ///
    /// - Returns: The names in order, or `nil` when the text breaks the syntax, offers
    ///   alternatives, or states a version other than with `=`.
    public static func list(parsing text: String) -> [ProvidedPackage]? {
        RelationParser.provided(in: Array(text.utf8)[...])
    }
}
