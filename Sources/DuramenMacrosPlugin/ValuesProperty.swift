import SwiftSyntax

/// A property of a managed class as its `Values` have it.
struct ValuesProperty {
    private enum Form {
        case attribute(wrapped: TypeSyntax, isOptional: Bool, AttributeForm)
        case toOne
        case toMany
    }

    /// The name as it is written, perhaps between backticks.
    let identifier: String
    /// `public `, `package ` or nothing: no more than the class's.
    let access: String
    /// The slot, or the number of the to-many, as an expression.
    let place: String
    /// Whether objects take it from values; what is derived nobody sets.
    let isWritten: Bool
    private let form: Form
    private let initialValue: String?
    private let defaultArgument: String

    /// Nil for what is no part of the values: transient and private properties, and to-manys that
    /// do not ask for it.
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

    /// The access of what needs two.
    static func narrower(_ a: String, _ b: String) -> String {
        if a.isEmpty || b.isEmpty { return "" }
        return a == "public " ? b : a
    }

    var isToMany: Bool { if case .toMany = form { true } else { false } }

    /// Whether a property called `id` can identify the values. Composites and `Codable` types need
    /// not be `Hashable`, and to-manys identify nothing.
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

    /// The parameter of the memberwise initialiser.
    var parameter: String {
        let standard: String? =
            switch form {
            case .attribute(_, let isOptional, _): initialValue ?? (isOptional ? "nil" : nil)
            case .toOne: "nil"
            case .toMany: "[]"
            }
        return "\(identifier): \(type)" + (standard.map { " = \($0)" } ?? "")
    }

    /// The call on a reader.
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

    /// The method of a writer.
    var setter: String {
        switch form {
        case .attribute(_, _, .plain): "set"
        case .attribute(_, _, .composite): "setComposite"
        case .attribute(_, _, .codable): "setCodable"
        case .toOne: "setToOne"
        case .toMany: "setToMany"
        }
    }

    /// The function that compares two values of it; nil where `==` does.
    var comparison: String? {
        switch form {
        case .attribute(_, _, .codable): "isSameEncoded"
        case .attribute: "isSame"
        case .toOne, .toMany: nil
        }
    }

    /// The function that feeds a hasher with it; nil where the hasher does.
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
