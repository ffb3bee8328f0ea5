import SwiftSyntax

/// A stored property of a managed class, in the form that the generators need.
struct ManagedProperty {
    enum Kind {
        case attribute(AttributeOptions)
        case toOne(destination: TypeSyntax, RelationshipOptions)
        case toMany(destination: TypeSyntax, isOrdered: Bool, RelationshipOptions)
    }

    /// The name as written, perhaps between backticks.
    let identifier: TokenSyntax
    let type: TypeSyntax
    let kind: Kind
    let initialValue: ExprSyntax?
    /// The access modifier: `public `, `package ` or nothing.
    let access: String
    let isPrivate: Bool

    /// The name of the property in the entity.
    var name: String { identifier.identifier?.name ?? identifier.text }

    /// The numbering of a property.
    enum Numbering {
        /// By its slot in the row.
        case slot
        case toMany
        case transient
    }

    var numbering: Numbering {
        switch kind {
        case .attribute(let options): options.transientOption == nil ? .slot : .transient
        case .toOne: .slot
        case .toMany: .toMany
        }
    }

    /// The destination class of a relationship; nil for other properties.
    var destination: TypeSyntax? {
        switch kind {
        case .attribute: nil
        case .toOne(let destination, _), .toMany(let destination, _, _): destination
        }
    }

    /// Returns the value for missing data, as a further argument; nothing for an optional.
    func initialArgument(_ label: String) -> String {
        if case .optional = TypeShape(type) { return "" }
        return initialValue.map { ", \(label): \($0.trimmedDescription)" } ?? ""
    }

    /// The type of a composite attribute, without `?`; nil for other properties.
    var compositeType: TypeSyntax? {
        guard attributeOptions?.form == .composite else { return nil }
        if case .optional(let wrapped) = TypeShape(type) { return wrapped }
        return type
    }

    var attributeOptions: AttributeOptions? {
        if case .attribute(let options) = kind { options } else { nil }
    }
}

extension [ManagedProperty] {
    /// The properties in the order of their names' bytes, which determines their numbers.
    var sortedByName: [ManagedProperty] {
        sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
    }
}
