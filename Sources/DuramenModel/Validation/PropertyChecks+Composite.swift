import Foundation

extension PropertyChecks {
    /// Checks a composite and all its elements, each under its path.
    ///
    /// - Returns: Whether the attribute is a composite.
    mutating func checkComposite(_ attribute: AttributeDescription, in entity: String) -> Bool {
        guard attribute.type == .composite else {
            if !attribute.elements.isEmpty {
                note(
                    .invalidComposite, entity, attribute.name,
                    "only composite attributes have elements; make it one, or take them away.")
            }
            return false
        }
        if attribute.isTransient {
            note(
                .invalidComposite, entity, attribute.name,
                "a composite is stored; make it a stored one, or an attribute of undefined type.")
        }
        if !attribute.defaultValue.isNull {
            note(
                .invalidDefault, entity, attribute.name,
                "a composite has no default value; give its elements some.")
        }
        var seen: Set<StoredText> = []
        for element in attribute.elements {
            let isNew = seen.insert(StoredText(element.name)).inserted
            checkElement(element, of: attribute, in: entity, isNew: isNew)
        }
        return true
    }

    private mutating func checkElement(
        _ element: AttributeDescription, of composite: AttributeDescription, in entity: String,
        isNew: Bool
    ) {
        var named = element
        named.name = "\(composite.name).\(element.name)"
        let problem =
            NameChecks.problem(with: element.name) ?? NameChecks.problem(withPath: named.name)
        if let problem {
            // Its elements would have an invalid path as well.
            return note(.invalidName, entity, named.name, problem)
        }
        if !isNew {
            note(.duplicateName, entity, named.name, "two elements have this name; rename one.")
        }
        if element.isTransient || element.allowsExternalBinaryDataStorage {
            note(
                .invalidComposite, entity, named.name,
                "an element is neither transient nor kept in a file of its own; take that away.")
        }
        if element.derivationExpression != nil {
            note(
                .invalidDerivation, entity, named.name,
                "elements of composites are not derived; derive an attribute beside it.")
        }
        check(named, in: entity)
    }

    /// Checks a transformable attribute, its type and its default.
    ///
    /// - Returns: Whether the attribute is transformable.
    mutating func checkTransformable(_ attribute: AttributeDescription, in entity: String) -> Bool {
        guard attribute.type == .transformable else {
            if attribute.codableType != nil {
                note(
                    .invalidCodableType, entity, attribute.name,
                    "only transformable attributes have a Codable type; make it one, or take it "
                        + "away.")
            } else if let name = attribute.valueTransformerName {
                note(
                    .invalidCodableType, entity, attribute.name,
                    "only transformable attributes have a transformer; make it one, or take "
                        + "'\(name)' away.")
            }
            return false
        }
        if attribute.isTransient {
            note(
                .unsupported, entity, attribute.name,
                "a transient attribute needs no encoding; make its type undefined.")
            return true
        }
        guard let codableType = attribute.codableType else {
            note(
                .invalidCodableType, entity, attribute.name,
                "a transformable attribute names the type of its values; give it a CodableType.")
            return true
        }
        let known = codableTypes.updateValue(
            codableType, forKey: StoredText(codableType.identifier))
        if let known, known != codableType {
            note(
                .invalidCodableType, entity, attribute.name,
                "'\(codableType.identifier)' is the name of two Swift types; name them differently."
            )
        }
        if let name = attribute.valueTransformerName, let transformer = transformers[name],
            let type = transformer.valueType, type != codableType.type
        {
            note(
                .invalidCodableType, entity, attribute.name,
                "the transformer '\(name)' is for values of the type \(type), not "
                    + "\(codableType.type); register another one.")
        }
        if let problem = codableType.problem(withDefault: attribute.defaultValue) {
            note(
                .invalidDefault, entity, attribute.name,
                "its default value \(problem); correct the default.")
        }
        return true
    }
}

extension CodableType {
    /// Returns why a value cannot be the default of an attribute of the type; nil if it can.
    fileprivate func problem(withDefault value: StoredValue) -> String? {
        switch value {
        case .null: nil
        case .binary(let data): problem(with: data)
        default: "is not encoded"
        }
    }
}
