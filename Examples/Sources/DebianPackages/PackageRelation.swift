/// A package that a dependency names, with the restrictions on it.
public struct PackageRelation: Sendable, Hashable, CustomStringConvertible {
    /// The name of a package, which may be a virtual one.
    public var name: String
    /// What follows the colon after the name, such as `any` or `native`.
    public var architectureQualifier: String?
    /// The versions that satisfy the relation, or `nil` for all.
    public var version: VersionRequirement?
    /// The architectures in brackets to which the relation is limited; empty for all.
    public var architectures: [RestrictionTerm]
    /// The build profiles in angle brackets: the relation holds when all terms of one group do.
    public var profiles: [[RestrictionTerm]]

    /// Creates a relation to the package of that name.
    public init(
        name: String, architectureQualifier: String? = nil, version: VersionRequirement? = nil,
        architectures: [RestrictionTerm] = [], profiles: [[RestrictionTerm]] = []
    ) {
        self.name = name
        self.architectureQualifier = architectureQualifier
        self.version = version
        self.architectures = architectures
        self.profiles = profiles
    }

    /// The relation in the syntax of the field.
    public var description: String {
        var text = name
        if let architectureQualifier { text += ":\(architectureQualifier)" }
        if let version { text += " (\(version))" }
        if !architectures.isEmpty {
            text += " [\(architectures.map(\.description).joined(separator: " "))]"
        }
        for group in profiles {
            text += " <\(group.map(\.description).joined(separator: " "))>"
        }
        return text
    }
}

/// The bound that a relation sets on a package's version.
public struct VersionRequirement: Sendable, Hashable, CustomStringConvertible {
    /// How the installed version must relate to the stated one.
    public enum Comparison: String, Sendable, Hashable, CaseIterable {
        /// Strictly earlier.
        case earlier = "<<"
        /// Earlier or equal.
        case earlierOrEqual = "<="
        /// The very version.
        case equal = "="
        /// Later or equal.
        case laterOrEqual = ">="
        /// Strictly later.
        case later = ">>"
    }

    /// The comparison; the installed version is its left side.
    public var comparison: Comparison
    /// The version to compare with.
    public var version: String

    /// Creates a requirement from comparison and version.
    public init(_ comparison: Comparison, _ version: String) {
        self.comparison = comparison
        self.version = version
    }

    /// The requirement as it stands between the parentheses.
    public var description: String { "\(comparison.rawValue) \(version)" }
}

/// An architecture or a build profile that is asked for, or excluded with `!`.
public struct RestrictionTerm: Sendable, Hashable, CustomStringConvertible {
    /// The name of the architecture or profile.
    public var name: String
    /// Whether the term stands for everything except the name.
    public var isNegated: Bool

    /// Creates a term for the name.
    public init(_ name: String, isNegated: Bool = false) {
        self.name = name
        self.isNegated = isNegated
    }

    /// The term in the syntax of the field.
    public var description: String { isNegated ? "!\(name)" : name }
}
