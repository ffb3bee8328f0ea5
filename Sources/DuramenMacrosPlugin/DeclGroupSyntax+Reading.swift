import SwiftSyntax

extension DeclGroupSyntax {
    /// The kind of the declaration, with its article, for a diagnostic.
    var kindInWords: String {
        switch introducer.text {
        case "struct": "a struct"
        case "enum": "an enum"
        case "actor": "an actor"
        case "extension": "an extension"
        case "protocol": "a protocol"
        case let other: "'\(other)'"
        }
    }
}

extension WithModifiersSyntax {
    /// The access modifier with which generated members are as visible as the type.
    var accessForMembers: String {
        for modifier in modifiers {
            switch modifier.name.text {
            case "public", "open": return "public "
            case "package": return "package "
            default: continue
            }
        }
        return ""
    }

}

extension ClassDeclSyntax {
    var isOpen: Bool { modifiers.contains { $0.name.text == "open" } }

    /// The names of the nested types and of the variables that the class declares.
    var memberNames: Set<String> {
        var names: Set<String> = []
        for member in memberBlock.members {
            if let type = member.decl.asProtocol((any NamedDeclSyntax).self) {
                names.insert(unescaped(type.name.text))
            } else if let variable = member.decl.as(VariableDeclSyntax.self) {
                for binding in variable.bindings {
                    names.insert(unescaped(binding.pattern.trimmedDescription))
                }
            }
        }
        return names
    }

    /// Whether the class has a property called `id` that cannot identify its objects. It cannot if
    /// it is less visible than the class, or if its type may not be `Hashable`.
    var hidesIdentity: Bool {
        let variables = memberBlock.members.compactMap { $0.decl.as(VariableDeclSyntax.self) }
        let found = variables.first {
            !$0.isStatic && unescaped($0.bindings.first?.pattern.trimmedDescription ?? "") == "id"
        }
        guard let found else { return false }
        if found.isPrivate
            || ValuesProperty.narrower(found.access, accessForMembers) != accessForMembers
        {
            return true
        }
        var reader = PropertyReader()
        switch reader.property(of: found)?.kind {
        case nil, .toOne: return false
        case .toMany: return true
        case .attribute(let options):
            return options.form != .plain || options.transientOption != nil
        }
    }

    /// Whether a designated initializer of the class stops the inheritance of `init(_:
    /// ManagedObjectRegistration)`, and the class does not declare that initializer itself.
    var hidesRequiredInitializer: Bool {
        let initializers = memberBlock.members.compactMap {
            $0.decl.as(InitializerDeclSyntax.self)
        }
        let designated = initializers.filter { initializer in
            !initializer.modifiers.contains { $0.name.text == "convenience" }
        }
        return !designated.isEmpty && !initializers.contains(where: \.takesRegistration)
    }
}

extension InitializerDeclSyntax {
    fileprivate var takesRegistration: Bool {
        let parameters = signature.parameterClause.parameters
        return parameters.count == 1 && parameters.first?.firstName.text == "_"
            && parameters.first?.type.lastName == "ManagedObjectRegistration"
    }
}

extension TypeSyntax {
    /// Whether the type is `Sendable`, with or without attributes and module.
    var namesSendable: Bool {
        if let attributed = self.as(AttributedTypeSyntax.self) {
            return attributed.baseType.namesSendable
        }
        return lastName == "Sendable"
    }

    /// Whether the first entry of an inheritance clause is certainly not a superclass.
    var isKnownProtocol: Bool {
        if self.is(AttributedTypeSyntax.self) || self.is(CompositionTypeSyntax.self) { return true }
        return lastName.map(Self.protocolNames.contains) ?? true
    }

    private static let protocolNames: Set<String> = [
        "AnyObject", "Codable", "Comparable", "CustomDebugStringConvertible",
        "CustomStringConvertible", "Decodable", "Encodable", "Equatable", "Hashable",
        "Identifiable", "Observable", "Sendable",
    ]
}

extension Syntax {
    /// Whether declarations in this one are local.
    var isFunctionLike: Bool {
        self.is(FunctionDeclSyntax.self) || self.is(InitializerDeclSyntax.self)
            || self.is(DeinitializerDeclSyntax.self) || self.is(ClosureExprSyntax.self)
            || self.is(AccessorDeclSyntax.self) || self.is(SubscriptDeclSyntax.self)
            || self.is(PatternBindingSyntax.self) || self.is(VariableDeclSyntax.self)
    }

    /// Whether the declaration itself has generic parameters.
    var isGenericType: Bool {
        self.asProtocol((any WithGenericParametersSyntax).self)?.genericParameterClause != nil
    }
}
