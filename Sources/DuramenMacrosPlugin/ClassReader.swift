import SwiftDiagnostics
import SwiftSyntax

/// Reads a declaration marked `@Managed` and reports its mistakes.
struct ClassReader {
    private(set) var findings = Findings()

    /// Reads a declaration.
    ///
    /// - Returns: The class with its valid properties; nil if the declaration cannot be a managed
    ///   class.
    mutating func managedClass(
        _ declaration: some DeclGroupSyntax, attribute: AttributeSyntax, lexicalContext: [Syntax]
    ) -> ManagedClass? {
        guard let declaration = declaration.as(ClassDeclSyntax.self) else {
            findings.report(.notAClass(declaration.kindInWords), at: declaration.introducer)
            return nil
        }
        let options = EntityOptions(attribute, findings: &findings)
        guard checkPlace(declaration, lexicalContext),
            let superclass = superclass(of: declaration)
        else { return nil }
        checkNotSendable(declaration)
        let isIsolated = isIsolated(declaration)
        let properties = properties(of: declaration)
        let isRoot = superclass.lastName == "ManagedObject"
        let managed = ManagedClass(
            name: unescaped(declaration.name.text), access: declaration.accessForMembers,
            overridableAccess: declaration.isOpen ? "open " : declaration.accessForMembers,
            isFinal: declaration.modifiers.contains { $0.name.text == "final" },
            superclass: isRoot ? nil : superclass.trimmed, options: options,
            declared: properties,
            slots: properties.filter { $0.numbering == .slot }.sortedByName,
            toManys: properties.filter { $0.numbering == .toMany }.sortedByName,
            transients: properties.filter { $0.numbering == .transient }.sortedByName,
            needsRequiredInitializer: declaration.hidesRequiredInitializer, isIsolated: isIsolated,
            hooks: OverriddenHooks.bits(of: declaration.memberBlock.members),
            memberNames: declaration.memberNames)
        checkNames(of: managed)
        return managed
    }

    // MARK: - The class

    private mutating func checkPlace(
        _ declaration: ClassDeclSyntax, _ lexicalContext: [Syntax]
    ) -> Bool {
        let errorsBefore = findings.errorCount
        let name = declaration.name.text
        if let clause = declaration.genericParameterClause {
            findings.report(.genericClass(name), at: clause)
        } else if lexicalContext.contains(where: \.isGenericType) {
            findings.report(.genericClass(name), at: declaration.name)
        }
        if lexicalContext.contains(where: \.isFunctionLike) {
            findings.report(.localClass(name), at: declaration.name)
        }
        return findings.errorCount == errorsBefore
    }

    private mutating func superclass(of declaration: ClassDeclSyntax) -> TypeSyntax? {
        let inherited = declaration.inheritanceClause?.inheritedTypes.first
        if let type = inherited?.type, !type.isKnownProtocol { return type }
        let fixIt: FixIt =
            if let inherited {
                .insert("ManagedObject, ", before: inherited, "inherit from 'ManagedObject'")
            } else {
                .insert(": ManagedObject", after: declaration.name, "inherit from 'ManagedObject'")
            }
        findings.report(
            .noSuperclass(declaration.name.text), at: declaration.name, fixIts: [fixIt])
        return nil
    }

    private mutating func checkNotSendable(_ declaration: ClassDeclSyntax) {
        guard let types = declaration.inheritanceClause?.inheritedTypes else { return }
        for (inherited, before) in zip(types.dropFirst(), types)
        where inherited.type.namesSendable {
            // If nothing follows, the preceding comma is removed.
            let fixIt: FixIt =
                if inherited.trailingComma == nil, let comma = before.trailingComma {
                    .all(
                        [.remove(comma, ""), .replace(inherited.type, with: "", "")],
                        "remove '\(inherited.type.trimmedDescription)'")
                } else {
                    .remove(inherited, "remove '\(inherited.type.trimmedDescription)'")
                }
            findings.report(.sendable(declaration.name.text), at: inherited.type, fixIts: [fixIt])
        }
    }

    /// Reports a class that is isolated to the main actor.
    private mutating func isIsolated(_ declaration: ClassDeclSyntax) -> Bool {
        for case .attribute(let attribute) in declaration.attributes
        where attribute.attributeName.lastName == "MainActor" {
            let first =
                declaration.modifiers.first.map(Syntax.init) ?? Syntax(declaration.classKeyword)
            let fixIt = FixIt.all(
                [.remove(attribute, ""), .insert("nonisolated ", before: first, "")],
                "replace '@MainActor' by 'nonisolated'")
            findings.report(
                .isolated(declaration.name.text), at: attribute, fixIts: [fixIt])
            return true
        }
        return false
    }

    // MARK: - Its properties

    private mutating func properties(of declaration: ClassDeclSyntax) -> [ManagedProperty] {
        var reader = PropertyReader()
        var properties: [ManagedProperty] = []
        for member in declaration.memberBlock.members {
            if let variable = member.decl.as(VariableDeclSyntax.self) {
                if let property = reader.property(of: variable) { properties.append(property) }
            } else if let condition = member.decl.as(IfConfigDeclSyntax.self) {
                checkCondition(condition)
            }
        }
        findings.append(reader.findings)
        return properties
    }

    private mutating func checkCondition(_ condition: IfConfigDeclSyntax) {
        for clause in condition.clauses {
            guard case .decls(let members) = clause.elements else { continue }
            for member in members {
                if let variable = member.decl.as(VariableDeclSyntax.self) {
                    guard PropertyReader.isPartOfEntity(variable) else { continue }
                    findings.report(.conditionalProperty(variable.shownName), at: variable)
                } else if let inner = member.decl.as(IfConfigDeclSyntax.self) {
                    checkCondition(inner)
                }
            }
        }
    }

    /// Checks the names in `unique` and `indexes`, which is only possible if nothing is inherited.
    private mutating func checkNames(of managed: ManagedClass) {
        // A property with an error is missing from the list; one report is enough.
        guard managed.superclass == nil, findings.errorCount == 0 else { return }
        let composites = Set(managed.slots.filter { $0.compositeType != nil }.map(\.name))
        let known = Set(managed.slots.map(\.name)).subtracting(composites)
        for (label, lists) in [
            ("unique", managed.options.unique), ("indexes", managed.options.indexes),
        ] {
            for name in lists.joined() where !known.contains(name.text) {
                // The model checks the elements of a composite.
                let first = name.text.prefix { $0 != "." }
                if first != name.text, composites.contains(String(first)) { continue }
                findings.report(
                    .unknownProperty(name.text, in: label, of: managed.name), at: name.node)
            }
        }
    }
}
