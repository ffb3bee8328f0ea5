import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

/// `@Managed`: generates the entity description and numbers the properties.
///
/// The member role reports every mistake; the member-attribute role, which the compiler calls once
/// for each member, reads the class again and stays silent.
struct ManagedMacro: MemberMacro {
    static func expansion(
        of node: AttributeSyntax, providingMembersOf declaration: some DeclGroupSyntax,
        conformingTo protocols: [TypeSyntax], in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
        var reader = ClassReader()
        let managed = reader.managedClass(
            declaration, attribute: node, lexicalContext: context.lexicalContext)
        reader.findings.diagnostics.forEach(context.diagnose)
        return managed.map { MemberGenerator(managed: $0).members } ?? []
    }
}

extension ManagedMacro: ExtensionMacro {
    static func expansion(
        of node: AttributeSyntax, attachedTo declaration: some DeclGroupSyntax,
        providingExtensionsOf type: some TypeSyntaxProtocol, conformingTo protocols: [TypeSyntax],
        in context: some MacroExpansionContext
    ) throws -> [ExtensionDeclSyntax] {
        var reader = ClassReader()
        // The compiler passes no protocols if the class declares the conformance. Subclasses
        // inherit it.
        guard !protocols.isEmpty, let declaration = declaration.as(ClassDeclSyntax.self),
            let managed = reader.managedClass(
                declaration, attribute: node, lexicalContext: context.lexicalContext),
            managed.superclass == nil, !managed.isIsolated
        else { return [] }
        let conformance: DeclSyntax = "extension \(type.trimmed): Identifiable {}"
        let identity: DeclSyntax = """
            extension \(type.trimmed): Identifiable {
                \(raw: managed.access)typealias ID = ManagedObjectID
            }
            """
        let text =
            declaration.hidesIdentity && !managed.memberNames.contains("ID")
            ? identity : conformance
        return [text.as(ExtensionDeclSyntax.self)].compactMap(\.self)
    }
}

extension ManagedMacro: MemberAttributeMacro {
    static func expansion(
        of node: AttributeSyntax, attachedTo declaration: some DeclGroupSyntax,
        providingAttributesFor member: some DeclSyntaxProtocol,
        in context: some MacroExpansionContext
    ) throws -> [AttributeSyntax] {
        var propertyReader = PropertyReader()
        guard let variable = member.as(VariableDeclSyntax.self) else { return [] }
        guard let property = propertyReader.property(of: variable) else {
            // A stored property would leave the class without initializers, which causes further
            // errors.
            let isWrong = propertyReader.findings.errorCount > 0
            return isWrong && variable.takesAccessors
                ? ["@_ManagedSlot(\(raw: ManagedSlotMacro.none))"] : []
        }
        var reader = ClassReader()
        guard
            let managed = reader.managedClass(
                declaration, attribute: node, lexicalContext: context.lexicalContext),
            let number = managed.number(of: property.name)
        else { return [] }
        guard let superclass = managed.superclass else { return ["@_ManagedSlot(\(raw: number))"] }
        return ["@_ManagedSlot(\(raw: number), after: \(raw: superclass.metatype))"]
    }
}
