import DuramenModel

extension ModelDocument {
    /// The names of the Swift types of transformable attributes, without Objective-C classes.
    var codableTypeNames: [String] {
        valueTypeNames.filter { $0.wholeMatch(of: /(NS|UI|CG|CL|CK)[A-Z]\w*/) == nil }
    }

    private var valueTypeNames: [String] {
        let attributes = entities.flatMap(\.attributes) + composites.flatMap(\.attributes)
        let names = attributes.compactMap { attribute in
            attribute.type == .transformable && !attribute.isTransient
                ? attribute.customClassName : nil
        }
        return Set(names).sorted()
    }

    /// Types under the names that the file has for them, for callers that do not need their values.
    var namedTypes: [CodableType] { codableTypeNames.map { CodableType($0, NamedType.self) } }

    /// The types of all transformable attributes, including Objective-C classes.
    var comparableTypes: [CodableType] {
        valueTypeNames.map { CodableType($0, NamedType.self) }
    }
}

/// A placeholder for the type of a transformable attribute's values, of which only the name is
/// known.
private struct NamedType: Codable, Sendable {}
