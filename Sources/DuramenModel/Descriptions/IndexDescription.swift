/// An index over an entity's attributes and to-one relationships, which makes queries faster.
///
/// Indexes are not part of version hashes: changing an index does not make a store incompatible.
public struct IndexDescription: Sendable, Hashable {
    /// One property of an index, with its direction.
    public struct Element: Sendable, Hashable {
        /// An attribute or a to-one relationship.
        public var property: String
        /// Whether small values come first.
        public var isAscending: Bool

        /// Describes a property of an index.
        public init(_ property: String, isAscending: Bool = true) {
            self.property = property
            self.isAscending = isAscending
        }
    }

    /// The index's name, unique within the entity.
    public var name: String
    /// The properties, most significant first.
    public var elements: [Element]

    /// Describes an index with an explicit name.
    public init(name: String, elements: [Element]) {
        self.name = name
        self.elements = elements
    }

    /// Describes an ascending index, named after its properties.
    public init(_ properties: String...) { self.init(properties: properties) }

    /// Describes an ascending index, named after its properties.
    public init(properties: [String]) {
        self.init(
            // Names of indexes have no dots, but paths to elements of composites do.
            name: "by_" + properties.map(Self.withoutDots).joined(separator: "_"),
            elements: properties.map { Element($0) })
    }

    // Paths to elements of composites have dots; names of indexes do not.
    private static func withoutDots(_ path: String) -> String {
        String(String.UnicodeScalarView(path.unicodeScalars.map { $0 == "." ? "_" : $0 }))
    }
}
