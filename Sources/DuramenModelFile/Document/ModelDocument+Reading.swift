extension ModelDocument {
    /// Reads the text of a `contents` file.
    ///
    /// - Parameter path: The file, for messages.
    /// - Throws: ``ModelFileError`` `.malformed`, `.tooLarge`, `.oldFormat`, or `.invalidContent` for an element
    ///   without its name and for what is neither `YES` nor `NO` where one of them belongs.
    /// - Complexity: O(*n*) in the length of the text, which has 4 MiB at most.
    public init(contents bytes: [UInt8], path: String? = nil) throws(ModelFileError) {
        if bytes.starts(with: "bplist".utf8) { throw Self.oldFormat(path) }
        do {
            root = try MarkupReader.read(bytes)
        } catch {
            throw ModelFileError(
                error.isLimit ? .tooLarge : .malformed, path: path, place: error.place,
                error.message)
        }
        guard root.name == "model" else {
            throw ModelFileError(
                .invalidContent, path: path, place: root.place,
                "'\(root.name)' is no model; give the 'contents' file of an .xcdatamodel.")
        }
        try Self.check(root, in: nil, path: path)
        try checkSize(path)
    }

    static func oldFormat(_ path: String?) -> ModelFileError {
        ModelFileError(
            .oldFormat, path: path,
            "the model is in the binary format of Xcode before 4.3, which is not read. Open and save "
                + "it with a newer Xcode, which writes XML.")
    }

    /// Whether every element has what it needs.
    private static func check(
        _ element: MarkupElement, in parent: String?, path: String?
    ) throws(ModelFileError) {
        // What is not known is kept, and nobody asks what it means.
        guard let rule = ModelSchema.rule(for: element.name, in: parent) else { return }
        for name in rule.required where element[name].nonEmpty == nil {
            throw ModelFileError(
                .invalidContent, path: path, place: element.place,
                "'\(element.name)' needs '\(name)'.")
        }
        for attribute in element.attributes {
            guard let problem = rule.attributes[attribute.name]?.problem(with: attribute.value)
            else { continue }
            throw ModelFileError(
                .invalidContent, path: path, place: element.place,
                "'\(attribute.name)' of '\(element["name"] ?? element.name)' \(problem)")
        }
        for child in element.children { try check(child, in: element.name, path: path) }
    }

    private func checkSize(_ path: String?) throws(ModelFileError) {
        let mostEntities = 10_000
        let mostProperties = 1_000
        guard root.children.count <= 4 * mostEntities, entities.count <= mostEntities else {
            throw ModelFileError(
                .tooLarge, path: path, "the model has more than \(mostEntities) entities.")
        }
        let properties = ["attribute", "relationship", "fetchedProperty"]
        for entity in root.children("entity")
        where entity.children.count(where: { properties.contains($0.name) }) > mostProperties {
            throw ModelFileError(
                .tooLarge, path: path, place: entity.place,
                "'\(entity["name"] ?? "")' has more than \(mostProperties) properties.")
        }
    }
}

extension ModelSchema.Value {
    /// What keeps a text from being such a value, as the end of a sentence; nil when it is one.
    fileprivate func problem(with text: String) -> String? {
        switch self {
        case .text: nil
        case .flag: text == "YES" || text == "NO" ? nil : "is neither YES nor NO."
        case .count: (UInt32(text) ?? .max) <= Int32.max ? nil : "is no count."
        }
    }
}
