import DuramenModel

extension ModelDocument {
    /// The names of the Swift types that transformable attributes have; those of Objective-C's
    /// classes are none.
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

    /// Types under the names that the file has for them, for whoever needs no values of them.
    var namedTypes: [CodableType] { codableTypeNames.map { CodableType($0, NamedType.self) } }

    /// The types of all transformable attributes, Objective-C's too.
    var comparableTypes: [CodableType] {
        valueTypeNames.map { CodableType($0, NamedType.self) }
    }
}

/// Stands for the type of a transformable attribute's values, of which only the name is known.
private struct NamedType: Codable, Sendable {}
