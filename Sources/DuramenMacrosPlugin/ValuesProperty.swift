import SwiftSyntax

/// A property of a managed class as its `Values` have it.
struct ValuesProperty {
    private enum Form {
        case attribute(wrapped: TypeSyntax, isOptional: Bool)
        case toOne
        case toMany
    }

    /// The name as it is written, perhaps between backticks.
    let identifier: String
    /// `public `, `package ` or nothing: no more than the class's.
    let access: String
    /// The slot, or the number of the to-many, as an expression.
    let place: String
    private let form: Form
    private let initialValue: String?

    /// Nil for what is no part of the values: transient and private properties, and to-manys that do not
    /// ask for it.
    init?(_ property: ManagedProperty, of managed: ManagedClass) {
        guard !property.isPrivate, let number = managed.number(of: property.name) else {
            return nil
        }
        let count: String
        switch property.kind {
        case .attribute(let options):
            if options.transientOption != nil { return nil }
            count = "slots"
            if case .optional(let wrapped) = TypeShape(property.type) {
                form = .attribute(wrapped: wrapped, isOptional: true)
            } else {
                form = .attribute(wrapped: property.type, isOptional: false)
            }
        case .toOne: (form, count) = (.toOne, "slots")
        case .toMany(_, _, let options):
            if options.valuesArgument == nil { return nil }
            (form, count) = (.toMany, "toManys")
        }
        identifier = property.identifier.text
        access = Self.narrower(property.access, managed.access)
        place =
            managed.superclass.map { "\($0.layoutReference).\(count) &+ \(number)" }
            ?? "\(number)"
        initialValue = property.initialValue?.trimmedDescription
    }

    /// The access of what needs two.
    static func narrower(_ a: String, _ b: String) -> String {
        if a.isEmpty || b.isEmpty { return "" }
        return a == "public " ? b : a
    }

    var isAttribute: Bool { if case .attribute = form { true } else { false } }

    var isToMany: Bool { if case .toMany = form { true } else { false } }

    var type: String {
        switch form {
        case .attribute(let wrapped, let isOptional):
            isOptional ? wrapped.asOptional : wrapped.trimmedDescription
        case .toOne: "ManagedObjectID?"
        case .toMany: "[ManagedObjectID]"
        }
    }

    /// The parameter of the memberwise initialiser.
    var parameter: String {
        let standard: String? =
            switch form {
            case .attribute(_, let isOptional): initialValue ?? (isOptional ? "nil" : nil)
            case .toOne: "nil"
            case .toMany: "[]"
            }
        return "\(identifier): \(type)" + (standard.map { " = \($0)" } ?? "")
    }

    /// The call on a reader.
    var read: String {
        switch form {
        case .attribute: "attribute(at: \(place))"
        case .toOne: "toOne(at: \(place))"
        case .toMany: "toMany(at: \(place))"
        }
    }

    /// The method of a writer.
    var setter: String {
        switch form {
        case .attribute: "set"
        case .toOne: "setToOne"
        case .toMany: "setToMany"
        }
    }

    private var key: String { ".\(identifier)" }

    var decode: String {
        switch form {
        case .attribute(let wrapped, let isOptional):
            "Self.decode\(isOptional ? "IfPresent" : "")(\(wrapped.metatype), from: container, "
                + "forKey: \(key))"
        case .toOne: "container.decodeIfPresent(ManagedObjectID.self, forKey: \(key))"
        case .toMany: "container.decode([ManagedObjectID].self, forKey: \(key))"
        }
    }

    var encode: String {
        switch form {
        case .attribute: "Self.encode(self.\(identifier), to: &container, forKey: \(key))"
        case .toOne: "container.encodeIfPresent(self.\(identifier), forKey: \(key))"
        case .toMany: "container.encode(self.\(identifier), forKey: \(key))"
        }
    }
}
