import SwiftSyntax

/// A class marked `@Managed`, in the form that the generators need.
struct ManagedClass {
    let name: String
    /// The access modifier of generated members: `public `, `package ` or nothing.
    let access: String
    /// The access modifier of members that a subclass in another module overrides.
    let overridableAccess: String
    let isFinal: Bool
    /// The managed superclass; nil directly under `ManagedObject`.
    let superclass: TypeSyntax?
    let options: EntityOptions
    /// All properties in the order of their declaration.
    let declared: [ManagedProperty]
    /// Attributes and to-one relationships, in the order of their slots.
    let slots: [ManagedProperty]
    /// To-many relationships; the index in the list is their number.
    let toManys: [ManagedProperty]
    /// Transient attributes; the index in the list is their number.
    let transients: [ManagedProperty]
    /// Whether the class hides the inherited initializer that the library calls.
    let needsRequiredInitializer: Bool
    /// Whether the class is isolated to the main actor, by mistake.
    let isIsolated: Bool
    /// The hooks that the class overrides, by the names of their bits.
    let hooks: [String]
    /// The names of all types, functions and variables that the class declares.
    let memberNames: Set<String>

    var entityName: String { options.entityName ?? name }

    /// All properties by name.
    var properties: [ManagedProperty] { (slots + toManys + transients).sortedByName }

    /// Returns the number of a property among its kind, as an expression.
    func number(of name: String) -> String? {
        for list in [slots, toManys, transients] {
            if let place = list.firstIndex(where: { $0.name == name }) {
                return list[..<place].placeCount
            }
        }
        return nil
    }
}

extension Collection<ManagedProperty> {
    /// The number of slots of the properties, as an expression: composites have one for each
    /// element.
    var placeCount: String {
        let composites = compactMap(\.compositeType)
        return
            (["\(count - composites.count)"]
            + composites.map { "\($0.trimmedDescription).elements.slotCount" })
            .joined(separator: " &+ ")
    }
}

extension TypeSyntax {
    /// The name of a managed class's layout, qualified by the class.
    var layoutReference: String {
        let name = lastName.map(unescaped) ?? trimmedDescription
        return "\(trimmedDescription).managedLayout_\(name)"
    }

    /// The name of a managed class's values.
    var valuesReference: String { "\(trimmedDescription).Values" }

    /// The name of the function that lists a managed class's key paths for a subclass.
    var propertyNamesReference: String {
        let name = lastName.map(unescaped) ?? trimmedDescription
        return "\(trimmedDescription).managedPropertyNames_\(name)"
    }
}

/// Returns a name without its backticks.
func unescaped(_ name: String) -> String {
    name.hasPrefix("`") && name.hasSuffix("`") && name.count > 2
        ? String(name.dropFirst().dropLast()) : name
}
