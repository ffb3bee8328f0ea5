import SwiftSyntax

/// A stored property of a managed class, as the generators need it.
struct ManagedProperty {
    enum Kind {
        case attribute(AttributeOptions)
        case toOne(destination: TypeSyntax, RelationshipOptions)
        case toMany(destination: TypeSyntax, RelationshipOptions)
    }

    /// The name as it is written, perhaps between backticks.
    let identifier: TokenSyntax
    let type: TypeSyntax
    let kind: Kind
    let initialValue: ExprSyntax?

    /// The name of the property in the entity.
    var name: String { identifier.identifier?.name ?? identifier.text }

    /// Whether the value has a slot in the row; to-many relationships have numbers of their own.
    var occupiesSlot: Bool {
        if case .toMany = kind { false } else { true }
    }

    var attributeOptions: AttributeOptions? {
        if case .attribute(let options) = kind { options } else { nil }
    }
}

extension [ManagedProperty] {
    /// The properties by the bytes of their names, the order that numbers them.
    var sortedByName: [ManagedProperty] {
        sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
    }
}
