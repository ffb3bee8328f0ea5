import DuramenModel

/// Writes the statements that create an entity's description.
struct DescriptionWriter {
    private let types: TypeNames
    private let literals: LiteralWriter

    init(_ types: TypeNames) {
        self.types = types
        literals = LiteralWriter(types)
    }

    /// Writes the body of a property that returns the description.
    ///
    /// There is one statement for each list, since an expression with hundreds of parts is slow to
    /// type-check.
    ///
    /// - Parameters:
    ///   - description: The description.
    ///   - className: The class that the description names; nil if the caller adds the class.
    ///   - code: The destination of the source.
    func write(
        _ description: EntityDescription, className: String? = nil, to code: inout CodeWriter
    ) {
        var arguments = ["name: \(SwiftName.quoted(description.name))"]
        if let parent = description.superentity {
            arguments.append("superentity: \(SwiftName.quoted(parent))")
        }
        if description.isAbstract { arguments.append("isAbstract: true") }
        arguments += literals.versioning(
            description.renamingIdentifier, description.versionHashModifier, description.userInfo)
        let call =
            "\(types.library("EntityDescription"))(\(arguments.joined(separator: ", ")))"
        // A variable that never changes would cause a warning.
        let isChanged =
            !description.attributes.isEmpty || !description.relationships.isEmpty
            || !description.fetchedProperties.isEmpty || !description.uniquenessConstraints.isEmpty
            || !description.indexes.isEmpty
            || className != nil
        if !isChanged { return code.line(call) }
        code.line("var description = \(call)")
        write("attributes", description.attributes.map { literals.attribute($0) }, to: &code)
        write(
            "relationships", description.relationships.map { literals.relationship($0) }, to: &code)
        write(
            "fetchedProperties",
            description.fetchedProperties.map { literals.fetchedProperty($0) }, to: &code)
        let constraints = description.uniquenessConstraints.map {
            "[\($0.map(SwiftName.quoted).joined(separator: ", "))]"
        }
        write("uniquenessConstraints", constraints, to: &code)
        write("indexes", description.indexes.map { literals.index($0) }, to: &code)
        if let className {
            let type = types.library("ManagedObjectClass")
            code.line("description.managedObjectClass = \(type)(\(className).self)")
        }
        code.line("return description")
    }

    private func write(_ property: String, _ elements: [String], to code: inout CodeWriter) {
        if !elements.isEmpty { code.list("description.\(property) = ", elements) }
    }
}
