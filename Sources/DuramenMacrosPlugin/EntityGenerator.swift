import SwiftSyntax
import SwiftSyntaxBuilder

/// Writes the entity description of a managed class.
struct EntityGenerator {
    let managed: ManagedClass

    var entityDescription: DeclSyntax {
        """
        nonisolated \(raw: managed.overridableAccess)override class var entityDescription: EntityDescription {
            EntityDescription(
                name: \(raw: quoted(managed.entityName)),
                superentity: \(raw: superentity),
                isAbstract: \(raw: managed.options.isAbstract),
                renamingIdentifier: \(raw: managed.options.renamedFrom.map(quoted) ?? "nil"),
                attributes: \(raw: list(managed.properties.compactMap(attribute))),
                relationships: \(raw: list(managed.properties.compactMap(relationship))),
                uniquenessConstraints: \(raw: uniquenessConstraints),
                indexes: \(raw: indexes),
                userInfo: \(raw: managed.options.userInfo)
            )
        }
        """
    }

    private var superentity: String {
        managed.superclass.map { "\($0.trimmedDescription).entityName" } ?? "nil"
    }

    // MARK: - Properties

    private func attribute(_ property: ManagedProperty) -> String? {
        guard let options = property.attributeOptions else { return nil }
        var arguments = [property.type.metatype, "name: \(quoted(property.name))"]
        var function = options.transientOption == nil ? "of" : "transient"
        switch options.form {
        case .plain: break
        case .composite: function = "composite"
        case .codable(let identifier):
            function = "codable"
            arguments.append("identifier: \(quoted(identifier))")
        }
        if let value = property.initialValue {
            arguments.append("default: \(value.trimmedDescription)")
        }
        if let name = options.originalName {
            arguments.append("renamingIdentifier: \(quoted(name))")
        }
        if let userInfo = options.userInfo { arguments.append("userInfo: \(userInfo)") }
        let rules = [
            options.limits.isEmpty ? [] : [property.type.metatype] + options.limits,
            options.textRules,
        ].filter { !$0.isEmpty }.map { ".limited(\($0.joined(separator: ", ")))" }.joined()
        return "AttributeDescription.\(function)(\(arguments.joined(separator: ", ")))"
            + options.modifiers + rules
    }

    private func relationship(_ property: ManagedProperty) -> String? {
        var arguments = [quoted(property.name)]
        let function: String
        let options: RelationshipOptions
        var isOrdered = false
        switch property.kind {
        case .attribute: return nil
        case .toOne(let destination, let toOneOptions):
            (function, options) = ("toOne", toOneOptions)
            arguments.append("destination: \(destination.metatype)")
            arguments.append("isOptional: \(!options.isRequired)")
        case .toMany(let destination, let isToManyOrdered, let toManyOptions):
            (function, options) = ("toMany", toManyOptions)
            arguments.append("destination: \(destination.metatype)")
            if options.minimumCount > 0 { arguments.append("isOptional: false") }
            isOrdered = isToManyOrdered
        }
        arguments.append("deleteRule: .\(options.deleteRule)")
        if let inverse = options.inverse {
            arguments.append("inverse: \(inverse)")
        } else if options.isOwnInverse, let destination = property.destination {
            arguments.append(
                "inverse: \\\(destination.trimmedDescription).\(property.identifier.text)")
        }
        if isOrdered { arguments.append("isOrdered: true") }
        if options.minimumCount > 0 {
            arguments.append("minimumCount: \(options.minimumCount)")
        }
        if let count = options.maximumCount { arguments.append("maximumCount: \(count)") }
        if let name = options.originalName {
            arguments.append("renamingIdentifier: \(quoted(name))")
        }
        return "RelationshipDescription.\(function)(\(arguments.joined(separator: ", ")))"
    }

    // MARK: - Constraints and indexes

    private var uniquenessConstraints: String {
        let single = managed.slots.filter { $0.attributeOptions?.isUnique == true }.map {
            [$0.name]
        }
        let lists = single + managed.options.unique.map { $0.map(\.text) }
        return inline(lists.map { inline($0.map(quoted)) })
    }

    private var indexes: String {
        let single = managed.slots.filter { $0.attributeOptions?.isIndexed == true }.map {
            [$0.name]
        }
        let lists = single + managed.options.indexes.map { $0.map(\.text) }
        return inline(lists.map { "IndexDescription(\($0.map(quoted).joined(separator: ", ")))" })
    }

    // MARK: - Layout of the text

    private func inline(_ elements: [String]) -> String {
        "[\(elements.joined(separator: ", "))]"
    }

    /// Returns a list with one line for each element, indented below the enclosing calls.
    private func list(_ elements: [String]) -> String {
        guard !elements.isEmpty else { return "[]" }
        let lines = elements.map { "            \($0)" }.joined(separator: ",\n")
        return "[\n\(lines)\n        ]"
    }
}
