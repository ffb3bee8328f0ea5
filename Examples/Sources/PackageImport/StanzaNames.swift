import DebianPackages

extension PackageStanza {
    /// The name with the architecture, for a package whose plain name belongs to another
    /// architecture.
    var qualifiedName: String? { architecture.map { "\(name):\($0)" } }

    /// The name of the package beside one that has its plain name; nil when both are the same
    /// package.
    ///
    /// A system that has several architectures of a package writes the others as
    /// `name:architecture`. `all` does not count as another architecture: packages change to it
    /// and from it between two versions.
    func nameBeside(packageOf known: String) -> String? {
        guard let own = architecture, known != own, known != "all", own != "all" else {
            return nil
        }
        return qualifiedName
    }

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
