import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

/// `@Composite`: lists the elements of a struct and makes it a `CompositeValue`.
///
/// The member role reports every mistake; the extension role stays silent.
struct CompositeMacro: MemberMacro {
    static func expansion(
        of node: AttributeSyntax, providingMembersOf declaration: some DeclGroupSyntax,
        conformingTo protocols: [TypeSyntax], in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
        var findings = Findings()
        defer { findings.diagnostics.forEach(context.diagnose) }
        guard let declaration = declaration.as(StructDeclSyntax.self) else {
            findings.report(.notAStruct(declaration.kindInWords), at: declaration.introducer)
            return []
        }
        let name = declaration.name.text
        if context.lexicalContext.contains(where: \.isGenericType)
            || declaration.genericParameterClause != nil
        {
            findings.report(.genericComposite(name), at: declaration.name)
            return []
        }
        var reader = PropertyReader(inComposite: true)
        let elements = declaration.memberBlock.members
            .compactMap { $0.decl.as(VariableDeclSyntax.self) }
            .filter { $0.markers("Relationship").isEmpty }
            .compactMap { reader.property(of: $0) }
        findings.append(reader.findings)
        if findings.errorCount > 0 { return [] }
        let isEmpty = !declaration.memberBlock.members.contains {
            $0.decl.is(VariableDeclSyntax.self)
        }
        if isEmpty { findings.report(.emptyComposite(name), at: declaration.name) }
        return CompositeGenerator(declaration: declaration, elements: elements).members
    }
}

extension CompositeMacro: ExtensionMacro {
    static func expansion(
        of node: AttributeSyntax, attachedTo declaration: some DeclGroupSyntax,
        providingExtensionsOf type: some TypeSyntaxProtocol, conformingTo protocols: [TypeSyntax],
        in context: some MacroExpansionContext
    ) throws -> [ExtensionDeclSyntax] {
        // The compiler passes no protocols if the struct declares the conformance itself.
        if protocols.isEmpty || !declaration.is(StructDeclSyntax.self) { return [] }
        return [try ExtensionDeclSyntax("extension \(type.trimmed): CompositeValue {}")]
    }
}

/// Writes the members that `@Composite` adds to a struct.
struct CompositeGenerator {
    let declaration: StructDeclSyntax
    let elements: [ManagedProperty]

    private var access: String { declaration.accessForMembers }

    var members: [DeclSyntax] {
        let initializers = declaration.memberBlock.members.compactMap {
            $0.decl.as(InitializerDeclSyntax.self)
        }
        var members = [list]
        if !initializers.contains(where: { $0.signature.parameterClause.parameters.isEmpty }) {
            members.append("\(raw: access)init() {}")
        }
        if initializers.isEmpty, !elements.isEmpty { members.append(memberwiseInitializer) }
        return members
    }

    private var list: DeclSyntax {
        let lines = elements.map { "    \(element($0))" }.joined(separator: ",\n")
        let name = declaration.name.trimmed
        return """
            \(raw: access)static let elements = CompositeElements<\(name)>(
            \(raw: lines)
            )
            """
    }

    private func element(_ property: ManagedProperty) -> String {
        let name = "\(quoted(property.name)), \\.\(property.identifier.text)"
        switch property.attributeOptions?.form {
        case .composite?: return ".composite(\(name))"
        case .codable(let identifier)?:
            let initial = property.initialArgument("initial")
            return ".codable(\(name), identifier: \(quoted(identifier))\(initial))"
        case .plain?, nil: return ".attribute(\(name))"
        }
    }

    private var memberwiseInitializer: DeclSyntax {
        let shown = elements.filter { !$0.isPrivate }
        let access = shown.map(\.access).reduce(access, ValuesProperty.narrower)
        let parameters = shown.map { element in
            let initial = element.initialValue?.trimmedDescription ?? "nil"
            return "\(element.identifier.text): \(element.type.trimmedDescription) = \(initial)"
        }
        let assignments = shown.map {
            "    self.\($0.identifier.text) = \($0.identifier.text)"
        }
        return """
            \(raw: access)init(\(raw: parameters.joined(separator: ", "))) {
            \(raw: assignments.joined(separator: "\n"))
            }
            """
    }
}
