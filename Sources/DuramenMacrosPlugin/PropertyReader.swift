import SwiftDiagnostics
import SwiftSyntax

/// Reads one variable declaration of a managed class or composite, and reports its mistakes.
struct PropertyReader {
    private(set) var findings = Findings()
    private let isInComposite: Bool

    init(inComposite: Bool = false) { isInComposite = inComposite }

    /// Reads a declaration.
    ///
    /// - Returns: The property; nil if the declaration has an error, or is not a property of the
    ///   entity: static, computed, or private without a marker.
    mutating func property(of declaration: VariableDeclSyntax) -> ManagedProperty? {
        guard Self.isPartOfEntity(declaration) else { return nil }
        let errorsBefore = findings.errorCount
        checkSpecifierAndModifiers(declaration)
        guard let (binding, identifier) = singleBinding(declaration) else { return nil }
        checkNameAndObservers(binding, identifier)
        guard let type = type(of: binding, identifier) else { return nil }
        guard let kind = kind(declaration, binding, identifier, type) else { return nil }
        guard findings.errorCount == errorsBefore else { return nil }
        return ManagedProperty(
            identifier: identifier, type: type, kind: kind,
            initialValue: binding.initializer?.value.trimmed, access: declaration.access,
            isPrivate: declaration.isPrivate)
    }

    /// Returns whether a declaration is a property of the entity: it is stored, belongs to the
    /// object, and is marked or not private.
    static func isPartOfEntity(_ declaration: VariableDeclSyntax) -> Bool {
        if declaration.isStatic || declaration.isComputed { return false }
        let isMarked =
            !declaration.markers("Attribute").isEmpty
            || !declaration.markers("Relationship").isEmpty
        return isMarked || !declaration.isPrivate
    }

    // MARK: - The declaration

    private mutating func checkSpecifierAndModifiers(_ declaration: VariableDeclSyntax) {
        let name = declaration.shownName
        if declaration.bindingSpecifier.tokenKind == .keyword(.let) {
            findings.report(
                .constant(name), at: declaration.bindingSpecifier,
                fixIts: [
                    .replace(declaration.bindingSpecifier, with: "var", "replace 'let' by 'var'")
                ])
        }
        for modifier in declaration.modifiers {
            let text = modifier.name.text
            if text == "override" {
                findings.report(.overriding(name), at: modifier)
            } else if ["lazy", "weak", "unowned"].contains(text) {
                findings.report(
                    .modifier(text, name), at: modifier,
                    fixIts: [.remove(modifier, "remove '\(text)'")])
            }
        }
    }

    private mutating func singleBinding(
        _ declaration: VariableDeclSyntax
    ) -> (PatternBindingSyntax, TokenSyntax)? {
        if let tuple = declaration.bindings.first(where: { $0.pattern.is(TuplePatternSyntax.self) })
        {
            findings.report(.tuplePattern(), at: tuple.pattern)
            return nil
        }
        guard declaration.bindings.count == 1, let binding = declaration.bindings.first else {
            findings.report(.severalBindings(), at: declaration.bindings)
            return nil
        }
        guard let pattern = binding.pattern.as(IdentifierPatternSyntax.self) else { return nil }
        return (binding, pattern.identifier.trimmed)
    }

    private mutating func checkNameAndObservers(
        _ binding: PatternBindingSyntax, _ identifier: TokenSyntax
    ) {
        let name = identifier.identifier?.name ?? identifier.text
        if !isInComposite, ReservedNames.ofManagedObject.contains(name) {
            findings.report(.reservedName(name), at: binding.pattern)
        }
        if let block = binding.accessorBlock {
            findings.report(
                .observers(name), at: block,
                fixIts: [.removeWithSpaceBefore(block, "remove the observers")])
        }
    }

    private mutating func type(
        of binding: PatternBindingSyntax, _ identifier: TokenSyntax
    ) -> TypeSyntax? {
        if let type = binding.typeAnnotation?.type.trimmed { return type }
        var fixIts: [FixIt] = []
        if let guess = binding.initializer?.value.literalTypeName {
            fixIts = [.insert(": \(guess)", after: binding.pattern, "add ': \(guess)'")]
        }
        findings.report(.missingType(identifier.text), at: binding.pattern, fixIts: fixIts)
        return nil
    }

    // MARK: - The kind

    private mutating func kind(
        _ declaration: VariableDeclSyntax, _ binding: PatternBindingSyntax,
        _ identifier: TokenSyntax, _ type: TypeSyntax
    ) -> ManagedProperty.Kind? {
        let attributes = declaration.markers("Attribute")
        let relationships = declaration.markers("Relationship")
        if let attribute = attributes.first, let relationship = relationships.first {
            findings.report(
                .bothMarkers(identifier.text), at: relationship,
                fixIts: [
                    .remove(attribute, "remove '@Attribute'"),
                    .remove(relationship, "remove '@Relationship'"),
                ])
            return nil
        }
        for (name, markers) in [("Attribute", attributes), ("Relationship", relationships)] {
            if markers.count > 1 {
                findings.report(.repeatedMarker(name, identifier.text), at: markers[1])
            }
        }
        // The annotation in the declaration, not the trimmed copy: diagnostics need its position.
        let typeNode = binding.typeAnnotation?.type ?? type
        if case .implicitlyUnwrapped(let wrapped) = TypeShape(type) {
            findings.report(
                .implicitlyUnwrapped(identifier.text), at: typeNode,
                fixIts: [.replace(typeNode, with: wrapped.asOptional, "replace '!' by '?'")])
            return nil
        }
        if let marker = relationships.first {
            var reader = RelationshipReader(
                name: identifier.text, type: typeNode, marker: marker, binding: binding)
            defer { findings.append(reader.findings) }
            return reader.kind()
        }
        return attributeKind(attributes.first, declaration, binding, identifier, typeNode)
    }

    private mutating func attributeKind(
        _ marker: AttributeSyntax?, _ declaration: VariableDeclSyntax,
        _ binding: PatternBindingSyntax, _ identifier: TokenSyntax, _ type: TypeSyntax
    ) -> ManagedProperty.Kind? {
        if type.isToMany {
            let fixIt: FixIt =
                if let marker {
                    .replace(marker, with: "@Relationship", "replace the marker by '@Relationship'")
                } else {
                    .insert("@Relationship ", before: declaration, "add '@Relationship'")
                }
            findings.report(.toManyAttribute(identifier.text), at: type, fixIts: [fixIt])
            return nil
        }
        let options = marker.map { AttributeOptions($0, findings: &findings) } ?? AttributeOptions()
        if options.form == .plain, options.transientOption == nil, type.isCollection {
            reportCollection(marker, declaration, identifier, type)
            return nil
        }
        if isInComposite {
            checkElement(options, binding, identifier, type)
            return .attribute(options)
        }
        if let value = binding.initializer?.value, value.differsPerEvaluation {
            findings.report(.fixedDefault(identifier.text), at: value)
        }
        checkTransient(options, binding, identifier, type)
        checkDerived(options, binding, identifier, type)
        checkForm(options, binding, identifier, type)
        return .attribute(options)
    }

    private mutating func reportCollection(
        _ marker: AttributeSyntax?, _ declaration: VariableDeclSyntax, _ identifier: TokenSyntax,
        _ type: TypeSyntax
    ) {
        let name = identifier.identifier?.name ?? identifier.text
        var fixIts: [FixIt] = []
        if marker == nil {
            let text = "@Attribute(.codable(\"\(name)\"))"
            fixIts = [.insert("\(text) ", before: declaration, "add '\(text)'")]
        }
        findings.report(
            .collectionAttribute(name, type.trimmedDescription), at: type, fixIts: fixIts)
    }

    private mutating func checkElement(
        _ options: AttributeOptions, _ binding: PatternBindingSyntax, _ identifier: TokenSyntax,
        _ type: TypeSyntax
    ) {
        for (name, node) in options.all where !["composite", "codable"].contains(name) {
            findings.report(.elementOption(identifier.text), at: node)
        }
        if let argument = options.otherArguments.first {
            findings.report(.elementOption(identifier.text), at: argument)
        }
        requireValue(.elementWithoutValue(identifier.text), binding, type)
    }

    /// Checks the other options of composite and transformable attributes.
    private mutating func checkForm(
        _ options: AttributeOptions, _ binding: PatternBindingSyntax, _ identifier: TokenSyntax,
        _ type: TypeSyntax
    ) {
        let allowed: Set<String>
        switch options.form {
        case .plain: return
        case .composite: allowed = ["composite"]
        case .codable:
            allowed = ["codable", "confidential", "preservesValueOnDeletion"]
            requireValue(.codableWithoutValue(identifier.text), binding, type)
        }
        for (name, node) in options.all where !allowed.contains(name) {
            findings.report(.formOption(identifier.text, options.form), at: node)
        }
        if let rule = options.ruleArgument {
            findings.report(.formOption(identifier.text, options.form), at: rule)
        }
    }

    private mutating func checkDerived(
        _ options: AttributeOptions, _ binding: PatternBindingSyntax, _ identifier: TokenSyntax,
        _ type: TypeSyntax
    ) {
        if options.derivedOption == nil { return }
        for (name, node) in options.all
        where ["transient", "composite", "codable", "externalStorage"].contains(name) {
            findings.report(.derivedOption(identifier.text), at: node)
        }
        requireValue(.derivedWithoutValue(identifier.text), binding, type)
    }

    private mutating func requireValue(
        _ mistake: Mistake, _ binding: PatternBindingSyntax, _ type: TypeSyntax
    ) {
        if case .optional = TypeShape(type) { return }
        if binding.initializer != nil { return }
        findings.report(
            mistake, at: type,
            fixIts: [.replace(type, with: type.asOptional, "make the type optional")])
    }

    private mutating func checkTransient(
        _ options: AttributeOptions, _ binding: PatternBindingSyntax, _ identifier: TokenSyntax,
        _ type: TypeSyntax
    ) {
        guard let option = options.transientOption else { return }
        if options.isUnique || options.isIndexed {
            findings.report(.transientInStore(identifier.text), at: option)
        }
        if let rule = options.ruleArgument {
            findings.report(.transientRule(identifier.text), at: rule)
        }
        requireValue(.transientWithoutValue(identifier.text), binding, type)
    }
}
