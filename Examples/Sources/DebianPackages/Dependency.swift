/// One clause of a dependency field: packages of which any one is enough.
public struct Dependency: Sendable, Hashable, CustomStringConvertible {
    /// The packages that satisfy the clause, the preferred one first; never empty when read.
    public var alternatives: [PackageRelation]

    /// Creates a clause from its alternatives.
    public init(alternatives: [PackageRelation]) {
        self.alternatives = alternatives
    }

    /// The clause in the syntax of the field.
    public var description: String {
        alternatives.map(\.description).joined(separator: " | ")
    }

    /// Reads the value of a dependency field such as `libc6 (>= 2.36), default-mta | exim4`.
    ///
    /// Empty clauses, which a comma at the end leaves, are passed over.
    /// - Returns: The clauses in order, or `nil` when the text breaks the syntax.
    public static func list(parsing text: String) -> [Dependency]? {
        RelationParser.dependencies(in: Array(text.utf8)[...])
    }
}
