extension AttributeDescription {
    /// Describes a composite attribute: a named group of attributes, which may be composites too.
    ///
    /// ```swift
    /// .composite("epicentre", isOptional: true, elements: [
    ///     AttributeDescription("latitude", .double), AttributeDescription("longitude", .double),
    /// ])
    /// ```
    /// Stores keep each element separately. Predicates, sorting, indexes and constraints therefore
    /// name elements by their paths, such as `epicentre.latitude`. A composite without a value
    /// equals a composite whose elements all have no value. If the composite is optional, its
    /// mandatory elements need a value only if some element has one. The default value of an
    /// element counts as a value.
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

    /// The number of properties that the attribute counts as: for a composite, that of its
    /// elements.
    var propertyCount: Int {
        type == .composite ? elements.reduce(0) { $0 + $1.propertyCount } : 1
    }

    /// Returns the attribute and all its elements, by their paths.
    package func withElements(
        in composite: String? = nil
    ) -> [(path: StoredText, type: AttributeType)] {
        let path = composite.map { "\($0).\(name)" } ?? name
        return [(StoredText(path), type)] + elements.flatMap { $0.withElements(in: path) }
    }
}
