extension ModelDocument {
    /// Reads the text of a `contents` file.
    ///
    /// - Parameters:
    ///   - bytes: The text in UTF-8.
    ///   - path: The path of the file, for messages.
    /// - Throws: ``ModelFileError`` `.malformed`, `.tooLarge`, `.oldFormat`, or `.invalidContent`.
    ///   The last is for an element without its name, and for a flag that is neither `YES` nor
    ///   `NO`.
    /// - Complexity: O(*n*) in the length of the text, which has 4 MiB at most.
    public init(contents bytes: [UInt8], path: String? = nil) throws(ModelFileError) {
        let reading = Self.reading(bytes, path: path)
        if let problem = reading.problems.first { throw problem }
        guard let document = reading.document else {
            throw ModelFileError(.malformed, path: path, "the file holds no model.")
        }
        self = document
    }

    /// Reads the text of a `contents` file as far as possible.
    ///
    /// - Returns: The document, nil if the text is not a document, and all problems that prevent
    ///   its use.
    static func reading(
        _ bytes: [UInt8], path: String?
    ) -> (document: ModelDocument?, problems: [ModelFileError]) {
        if bytes.starts(with: "bplist".utf8) { return (nil, [oldFormat(path)]) }
        let root: MarkupElement
        do throws(MarkupError) {
            root = try MarkupReader.read(bytes)
        } catch {
            let problem = ModelFileError(
                error.isLimit ? .tooLarge : .malformed, path: path, place: error.place,
                error.message)
            return (nil, [problem])
        }
        guard root.name == "model" else {
            let problem = ModelFileError(
                .invalidContent, path: path, place: root.place,
                "'\(root.name)' is not a model. Give the 'contents' file of an .xcdatamodel.")
            return (nil, [problem])
        }
        let document = ModelDocument(root: root)
        if let problem = document.problemWithSize(path) { return (nil, [problem]) }
        return (document, problems(with: root, in: nil, path: path))
    }

    static func oldFormat(_ path: String?) -> ModelFileError {
        ModelFileError(
            .oldFormat, path: path,
            "the model is in the binary format of Xcode before 4.3, which is not read. Open and save "
                + "it with a newer Xcode, which writes XML.")
    }

    /// Returns the missing and the invalid values of elements, in the order of the file.
    private static func problems(
        with element: MarkupElement, in parent: String?, path: String?
    ) -> [ModelFileError] {
        // Unknown elements are kept, and not checked.
        guard let rule = ModelSchema.rule(for: element.name, in: parent) else { return [] }
        func problem(_ message: String) -> ModelFileError {
            ModelFileError(.invalidContent, path: path, place: element.place, message)
        }
        let missing = rule.required.filter { element[$0].nonEmpty == nil }.map {
            problem("'\(element.name)' needs '\($0)'.")
        }
        let wrong = element.attributes.compactMap { attribute in
            rule.attributes[attribute.name]?.problem(with: attribute.value).map {
                problem("'\(attribute.name)' of '\(element["name"] ?? element.name)' \($0)")
            }
        }
        return missing + wrong
            + element.children.flatMap { problems(with: $0, in: element.name, path: path) }
    }

    private func problemWithSize(_ path: String?) -> ModelFileError? {
        let mostEntities = 10_000
        let mostProperties = 1_000
        guard root.children.count <= 4 * mostEntities, entities.count <= mostEntities else {
            return ModelFileError(
                .tooLarge, path: path, "the model has more than \(mostEntities) entities.")
        }
        let properties = ["attribute", "relationship", "fetchedProperty"]
        let large = root.children("entity").first { entity in
            entity.children.count(where: { properties.contains($0.name) }) > mostProperties
        }
        return large.map { entity in
            ModelFileError(
                .tooLarge, path: path, place: entity.place,
                "'\(entity["name"] ?? "")' has more than \(mostProperties) properties.")
        }
    }
}

extension ModelSchema.Value {
    /// Returns why a text is not such a value, as the end of a sentence; nil if it is.
    fileprivate func problem(with text: String) -> String? {
        switch self {
        case .text: nil
        case .flag: text == "YES" || text == "NO" ? nil : "is neither YES nor NO."
        case .count: (UInt32(text) ?? .max) <= Int32.max ? nil : "is no count."
        }
    }
}
