import SwiftSyntax

/// A property of a managed class in the form that its `Values` have it.
struct ValuesProperty {
    private enum Form {
        case attribute(wrapped: TypeSyntax, isOptional: Bool, AttributeForm)
        case toOne
        case toMany
    }

    /// The name as written, perhaps between backticks.
    let identifier: String
    /// The access modifier: `public `, `package ` or nothing, and never wider than the class's.
    let access: String
    /// The slot, or the number of the to-many, as an expression.
    let place: String
    /// Whether objects take the value from `Values`; derived values cannot be set.
    let isWritten: Bool
    private let form: Form
    private let initialValue: String?
    private let defaultArgument: String

    /// Creates the property; nil if the values do not include it: a transient or private property,
    /// or a to-many without the option.
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
                form = .attribute(wrapped: wrapped, isOptional: true, options.form)
            } else {
                form = .attribute(wrapped: property.type, isOptional: false, options.form)
            }
        case .toOne: (form, count) = (.toOne, "slots")
        case .toMany(_, _, let options):
            if options.valuesArgument == nil { return nil }
            (form, count) = (.toMany, "toManys")
        }
        identifier = property.identifier.text
        isWritten = property.attributeOptions?.derivedOption == nil
        access = Self.narrower(property.access, managed.access)
        place =
            managed.superclass.map { "\($0.layoutReference).\(count) &+ \(number)" }
            ?? "\(number)"
        initialValue = property.initialValue?.trimmedDescription
        defaultArgument = property.initialArgument("default")
    }

    /// Returns the narrower of two access modifiers.
    static func narrower(_ a: String, _ b: String) -> String {
        if a.isEmpty || b.isEmpty { return "" }
        return a == "public " ? b : a
    }

    var isToMany: Bool { if case .toMany = form { true } else { false } }

    /// Whether a property called `id` can identify the values. Composites and `Codable` types may
    /// not be `Hashable`, and to-manys cannot identify anything.
    var isIdentity: Bool {
        switch form {
        case .attribute(_, _, .plain), .toOne: true
        case .attribute, .toMany: false
        }
    }

    var type: String {
        switch form {
        case .attribute(let wrapped, let isOptional, _):
            isOptional ? wrapped.asOptional : wrapped.trimmedDescription
        case .toOne: "ManagedObjectID?"
        case .toMany: "[ManagedObjectID]"
        }
    }

    /// The parameter of the memberwise initializer.
    var parameter: String {
        let standard: String? =
            switch form {
            case .attribute(_, let isOptional, _): initialValue ?? (isOptional ? "nil" : nil)
            case .toOne: "nil"
            case .toMany: "[]"
            }
        return "\(identifier): \(type)" + (standard.map { " = \($0)" } ?? "")
    }

    /// The call of a reader's method.
    var read: String {
        switch form {
        case .attribute(_, _, .plain): "attribute(at: \(place))"
        case .attribute(_, _, .composite): "composite(at: \(place))"
        case .attribute(_, _, .codable):
            "codable(at: \(place)\(defaultArgument))"
        case .toOne: "toOne(at: \(place))"
        case .toMany: "toMany(at: \(place))"
        }
    }

    /// The name of a writer's method.
    var setter: String {
        switch form {
        case .attribute(_, _, .plain): "set"
        case .attribute(_, _, .composite): "setComposite"
        case .attribute(_, _, .codable): "setCodable"
        case .toOne: "setToOne"
        case .toMany: "setToMany"
        }
    }

    /// The function that compares two values; nil if `==` does.
    var comparison: String? {
        switch form {
        case .attribute(_, _, .codable): "isSameEncoded"
        case .attribute: "isSame"
        case .toOne, .toMany: nil
        }
    }

    /// The function that hashes the value; nil if the hasher does.
    var hash: String? {
        switch form {
        case .attribute(_, _, .codable): "hashEncoded"
        case .attribute: "hash"
        case .toOne, .toMany: nil
        }
    }

    private var key: String { ".\(identifier)" }

    var decode: String {
        switch form {
        case .attribute(let wrapped, let isOptional, .codable):
            "container.decode\(isOptional ? "IfPresent" : "")(\(wrapped.metatype), forKey: \(key))"
        case .attribute(let wrapped, let isOptional, _):
            "Self.decode\(isOptional ? "IfPresent" : "")(\(wrapped.metatype), from: container, "
                + "forKey: \(key))"
        case .toOne: "container.decodeIfPresent(ManagedObjectID.self, forKey: \(key))"
        case .toMany: "container.decode([ManagedObjectID].self, forKey: \(key))"
        }
    }

    var encode: String {
        switch form {
        case .attribute(_, let isOptional, .codable):
            "container.encode\(isOptional ? "IfPresent" : "")(self.\(identifier), forKey: \(key))"
        case .attribute: "Self.encode(self.\(identifier), to: &container, forKey: \(key))"
        case .toOne: "container.encodeIfPresent(self.\(identifier), forKey: \(key))"
        case .toMany: "container.encode(self.\(identifier), forKey: \(key))"
        }
    }
}
