import SwiftSyntax

/// The kind of a property's type, as far as its spelling shows it.
enum TypeShape {
    case plain(TypeSyntax)
    case optional(TypeSyntax)
    case implicitlyUnwrapped(TypeSyntax)
    case toMany(TypeSyntax, isOrdered: Bool)
    case collection(element: TypeSyntax)

    init(_ type: TypeSyntax) {
        if let optional = type.as(OptionalTypeSyntax.self) {
            self = .optional(optional.wrappedType.trimmed)
        } else if let unwrapped = type.as(ImplicitlyUnwrappedOptionalTypeSyntax.self) {
            self = .implicitlyUnwrapped(unwrapped.wrappedType.trimmed)
        } else if let array = type.as(ArrayTypeSyntax.self) {
            self = .collection(element: array.element.trimmed)
        } else if let inner = type.parenthesized {
            self = TypeShape(inner)
        } else if let argument = type.onlyGenericArgument {
            switch type.lastName {
            case "Optional": self = .optional(argument)
            case "ToMany": self = .toMany(argument, isOrdered: false)
            case "OrderedToMany": self = .toMany(argument, isOrdered: true)
            case "Array", "Set": self = .collection(element: argument)
            default: self = .plain(type.trimmed)
            }
        } else {
            self = .plain(type.trimmed)
        }
    }
}

extension TypeSyntax {
    /// `X` for `(X)`; nil for other types.
    var parenthesized: TypeSyntax? {
        guard let tuple = self.as(TupleTypeSyntax.self), tuple.elements.count == 1,
            let element = tuple.elements.first, element.firstName == nil
        else { return nil }
        return element.type
    }

    /// The name after the last dot: `Base` for `Model.Base`.
    var lastName: String? {
        if let identifier = self.as(IdentifierTypeSyntax.self) { return identifier.name.text }
        return self.as(MemberTypeSyntax.self)?.name.text
    }

    /// `X` for `Name<X>` and `Module.Name<X>`.
    var onlyGenericArgument: TypeSyntax? {
        let clause =
            self.as(IdentifierTypeSyntax.self)?.genericArgumentClause
            ?? self.as(MemberTypeSyntax.self)?.genericArgumentClause
        guard let arguments = clause?.arguments, arguments.count == 1,
            case .type(let type) = arguments.first?.argument
        else { return nil }
        return type.trimmed
    }

    /// Whether the type is an array, a set or a dictionary, or an optional of one.
    var isCollection: Bool {
        switch TypeShape(self) {
        case .collection: true
        case .optional(let wrapped): wrapped.isCollection
        case .plain(let type): type.is(DictionaryTypeSyntax.self) || type.isGenericDictionary
        case .implicitlyUnwrapped, .toMany: false
        }
    }

    private var isGenericDictionary: Bool {
        self.as(IdentifierTypeSyntax.self)?.genericArgumentClause != nil && lastName == "Dictionary"
    }

    /// Whether the type is certainly not a class.
    ///
    /// The names are common value types of the standard library and Foundation. The type checker
    /// decides about a program's own structs and enums.
    var isKnownValueType: Bool {
        if self.is(TupleTypeSyntax.self) || self.is(FunctionTypeSyntax.self) { return true }
        if self.is(DictionaryTypeSyntax.self) || self.is(ArrayTypeSyntax.self) { return true }
        guard self.is(IdentifierTypeSyntax.self) else { return false }
        return lastName.map(Self.valueTypeNames.contains) ?? false
    }

    private static let valueTypeNames: Set<String> = [
        "Bool", "Character", "Data", "Date", "Decimal", "Dictionary", "Double", "Float", "Int",
        "Int16", "Int32", "Int64", "Int8", "String", "UInt", "UInt16", "UInt32", "UInt64", "UInt8",
        "URL", "UUID",
    ]

    /// The expression of this type's metatype.
    var metatype: String {
        let needsParentheses =
            !(self.is(IdentifierTypeSyntax.self) || self.is(MemberTypeSyntax.self)
            || self.is(OptionalTypeSyntax.self) || self.is(ArrayTypeSyntax.self)
            || self.is(DictionaryTypeSyntax.self) || self.is(TupleTypeSyntax.self))
        return needsParentheses ? "(\(trimmedDescription)).self" : "\(trimmedDescription).self"
    }
}
