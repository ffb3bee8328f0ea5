import SwiftSyntax

extension VariableDeclSyntax {
    /// Whether the property belongs to the type, not to an object.
    var isStatic: Bool {
        modifiers.contains { ["static", "class"].contains($0.name.text) }
    }

    /// Whether the property has a getter; then it is not stored.
    var isComputed: Bool {
        bindings.contains { binding in
            switch binding.accessorBlock?.accessors {
            case .getter: true
            case .accessors(let accessors): accessors.contains { !$0.isObserver }
            case nil: false
            }
        }
    }

    /// Whether a getter and a setter may be added: it is a single variable with a written type,
    /// stored without observers.
    var takesAccessors: Bool {
        guard bindingSpecifier.tokenKind == .keyword(.var), bindings.count == 1,
            let binding = bindings.first, binding.typeAnnotation != nil,
            binding.accessorBlock == nil
        else { return false }
        return !modifiers.contains {
            ["static", "class", "lazy", "weak", "unowned", "override"].contains($0.name.text)
        }
    }

    /// Whether the property itself is private; `private(set)` alone does not count.
    var isPrivate: Bool {
        modifiers.contains {
            ["private", "fileprivate"].contains($0.name.text) && $0.detail == nil
        }
    }

    /// The access modifier as written, with `open` as `public`; nothing for internal.
    var access: String {
        for modifier in modifiers where modifier.detail == nil {
            switch modifier.name.text {
            case "public", "open": return "public "
            case "package": return "package "
            default: continue
            }
        }
        return ""
    }

    /// Returns the attributes with a name, with or without the module's name.
    func markers(_ name: String) -> [AttributeSyntax] { attributes.named(name) }

    /// The name to show in a diagnostic.
    var shownName: String {
        bindings.first?.pattern.trimmedDescription ?? ""
    }
}

extension AccessorDeclSyntax {
    var isObserver: Bool { ["willSet", "didSet"].contains(accessorSpecifier.text) }
}

extension AttributeListSyntax {
    /// Returns the attributes with a name, with or without the module's name.
    func named(_ name: String) -> [AttributeSyntax] {
        compactMap { element in
            guard case .attribute(let attribute) = element,
                attribute.attributeName.lastName == name
            else { return nil }
            return attribute
        }
    }
}

extension AttributeSyntax {
    /// The arguments in parentheses; none if the attribute has no parentheses.
    var labeledArguments: [LabeledExprSyntax] {
        guard case .argumentList(let list) = arguments else { return [] }
        return Array(list)
    }
}
