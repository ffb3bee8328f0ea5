public import DuramenModel

extension ModelDocument {
    /// Returns all findings about the model, in the order of the file. The result is empty for a
    /// model that is used exactly as written.
    ///
    /// - Parameter codableTypes: The types of transformable attributes, as for
    ///   `model(codableTypes:)`; nil for the types that the file names, as in generated code.
    public func findings(codableTypes: [CodableType]? = nil) -> [ModelFinding] {
        let translation = DocumentTranslation(self, codableTypes: codableTypes ?? namedTypes)
        return (translation.findings + unknownContent).enumerated().sorted { a, b in
            let (a, b) = ((a.element.place, a.offset), (b.element.place, b.offset))
            return (a.0.line, a.0.column, a.1) < (b.0.line, b.0.column, b.1)
        }.map(\.element)
    }

    /// Returns the model that the document describes, for containers.
    ///
    /// Parts that the library does not support are left out or changed; ``findings(codableTypes:)``
    /// lists each such decision.
    ///
    /// - Parameters:
    ///   - codableTypes: The types of transformable attributes. Register a type by the name of the
    ///     values' class in the file, such as `[String]`. An attribute of any other type becomes
    ///     binary data.
    ///   - transformers: The transformers for attributes that name one.
    /// - Throws: ``ModelFileError`` `.unusable` with every mistake.
    public func model(
        codableTypes: [CodableType] = [], transformers: ValueTransformers = ValueTransformers()
    ) throws(ModelFileError) -> ManagedObjectModel {
        let translation = DocumentTranslation(
            self, codableTypes: codableTypes, transformers: transformers)
        if let model = translation.model { return model }
        let mistakes = translation.findings.filter { $0.severity == .error }
        throw ModelFileError(
            .unusable, place: mistakes.first?.place,
            "the model cannot be used:\n"
                + mistakes.map { "  \($0.description)" }.joined(separator: "\n"))
    }

    /// Returns the model of generated code, except for its Swift types. Its checksum is that of
    /// stores that such code writes.
    ///
    /// - Throws: ``ModelFileError`` `.unusable` with every mistake.
    public func generatedModel() throws(ModelFileError) -> ManagedObjectModel {
        try model(codableTypes: namedTypes)
    }

    /// The findings about unknown content, which is kept without a meaning.
    private var unknownContent: [ModelFinding] {
        var findings: [ModelFinding] = []
        func look(at element: MarkupElement, in parent: String?, entity: String?) {
            let note = { (message: String) in
                findings.append(
                    ModelFinding(
                        severity: .note, entity: entity,
                        property: entity == element["name"] ? nil : element["name"],
                        message: message, place: element.place))
            }
            guard let rule = ModelSchema.rule(for: element.name, in: parent) else {
                return note("the element '\(element.name)' is not known; it is kept as it is")
            }
            for attribute in element.attributes where rule.attributes[attribute.name] == nil {
                note("'\(attribute.name)' of '\(element.name)' is not known; it is kept as it is")
            }
            if !element.text.isEmpty { note("the text within '\(element.name)' has no meaning") }
            for child in element.children {
                look(
                    at: child, in: element.name,
                    entity: entity ?? (element.name == "model" ? child["name"] : nil))
            }
        }
        look(at: root, in: nil, entity: nil)
        return findings
    }
}
