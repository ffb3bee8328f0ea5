import DebianPackages

extension PackageStanza {
    /// The name with the architecture, for a package whose plain name belongs to another architecture.
    var qualifiedName: String? { architecture.map { "\(name):\($0)" } }

    /// What the package is said to need, in the order of the file.
    private var clauses: [Dependency] { preDepends + depends }

    /// Of each clause, the alternative named first.
    var dependencyNames: [String] { clauses.compactMap(\.alternatives.first?.name) }

    /// The other alternatives of the clauses.
    var alternativeNames: [String] { clauses.flatMap { $0.alternatives.dropFirst().map(\.name) } }

    /// The names that the package stands in for.
    var providedNames: [String] { provides.map(\.name) }

    /// Every package that the stanza names, itself included.
    var allNames: [String] {
        [name] + (qualifiedName.map { [$0] } ?? []) + dependencyNames + alternativeNames
            + providedNames
    }
}
