import SwiftDiagnostics

/// Mistakes in composites and their elements, and in transformable attributes.
extension Mistake {
    static func notAStruct(_ kind: String) -> Mistake {
        Mistake("notAStruct", "'@Composite' can only be applied to a struct, not to \(kind)")
    }

    static func genericComposite(_ name: String) -> Mistake {
        Mistake("genericComposite", "composite '\(name)' cannot be generic; its elements are fixed")
    }

    static func emptyComposite(_ name: String) -> Mistake {
        Mistake(
            "emptyComposite", "composite '\(name)' has no elements; declare a stored property",
            severity: .warning)
    }

    static func elementWithoutValue(_ name: String) -> Mistake {
        Mistake(
            "elementWithoutValue",
            "element '\(name)' of a composite must be optional or have an initial value, "
                + "which a new struct has")
    }

    static func elementOption(_ name: String) -> Mistake {
        Mistake(
            "elementOption",
            "element '\(name)' of a composite takes '.composite' and '.codable(…)' only; "
                + "constraints and indexes name it in '@Managed'")
    }

    static func relationshipInComposite(_ name: String) -> Mistake {
        Mistake(
            "relationshipInComposite",
            "'\(name)' cannot be a relationship; a composite is made of attributes")
    }

    static func codableWithoutValue(_ name: String) -> Mistake {
        Mistake(
            "codableWithoutValue",
            "attribute '\(name)' of a 'Codable' type must be optional or have an initial value")
    }

    static func formOption(_ name: String, _ form: AttributeForm) -> Mistake {
        if form == .composite {
            return Mistake(
                "compositeOption",
                "composite attribute '\(name)' takes no other options and no rules; constraints and "
                    + "indexes name its elements in '@Managed'")
        }
        return Mistake(
            "codableOption",
            "attribute '\(name)' of a 'Codable' type takes '.confidential' and "
                + "'.preservesValueOnDeletion' only; nothing compares its values")
    }
}
