public import Duramen

/// The model of the examples: packages, their sections and maintainers, and the dependency graph.
public enum PackageGraph {
    /// Makes the model. Make it once and share it: models are immutable.
    public static func model() throws -> ManagedObjectModel {
        try ManagedObjectModel(Package.self, Section.self, Maintainer.self)
    }
}
