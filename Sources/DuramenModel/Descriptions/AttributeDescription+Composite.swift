extension AttributeDescription {
    /// Describes a composite attribute: a named group of others, which may be composites again.
    ///
    /// ```swift
    /// .composite("epicentre", isOptional: true, elements: [
    ///     AttributeDescription("latitude", .double), AttributeDescription("longitude", .double),
    /// ])
    /// ```
    /// Stores keep each element by itself, so that predicates, sorting, indexes and constraints
    /// name elements by their paths, such as `epicentre.latitude`. A composite without a value and
    /// one whose elements all have none are the same. Where the composite is optional, its
    /// mandatory elements need a value only if some element has one; a default value of an element
    /// counts as one.
    public static func composite(
        _ name: String, isOptional: Bool = false, elements: [AttributeDescription],
        renamingIdentifier: String? = nil, versionHashModifier: String? = nil,
        userInfo: [String: String] = [:]
    ) -> AttributeDescription {
        var description = AttributeDescription(
            name, .composite, isOptional: isOptional, renamingIdentifier: renamingIdentifier,
            versionHashModifier: versionHashModifier, userInfo: userInfo)
        description.elements = elements
        return description
    }

    /// How many properties it counts for: a composite for its elements.
    var propertyCount: Int {
        type == .composite ? elements.reduce(0) { $0 + $1.propertyCount } : 1
    }

    /// The attribute with all its elements, by their paths.
    package func withElements(
        in composite: String? = nil
    ) -> [(path: StoredText, type: AttributeType)] {
        let path = composite.map { "\($0).\(name)" } ?? name
        return [(StoredText(path), type)] + elements.flatMap { $0.withElements(in: path) }
    }
}
