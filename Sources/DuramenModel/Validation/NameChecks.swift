/// Whether names can be kept by every store.
enum NameChecks {
    /// The longest name, in UTF-8 bytes; what engines allow after prefixes is a little more.
    static let longestName = 200

    static func mistakes(in description: EntityDescription) -> [ModelError.Mistake] {
        var mistakes: [ModelError.Mistake] = []
        if let problem = problem(with: description.name) {
            mistakes.append(.init(.invalidName, entity: description.name, problem))
        }
        let properties =
            description.attributes.map(\.name) + description.relationships.map(\.name)
            + description.fetchedProperties.map(\.name) + description.indexes.map(\.name)
        for name in properties {
            if let problem = problem(with: name) {
                mistakes.append(
                    .init(.invalidName, entity: description.name, property: name, problem))
            }
        }
        return mistakes
    }

    /// What keeps a path to an element of a composite from being kept.
    static func problem(withPath path: String) -> String? {
        path.utf8.count > longestName
            ? "the path to the element has more than \(longestName) bytes; shorten its names." : nil
    }

    static func problem(with name: String) -> String? {
        if name.isEmpty { return "the name is empty; give it one." }
        if name.utf8.count > longestName {
            return "the name has more than \(longestName) bytes; shorten it."
        }
        if name.utf8.contains(0) { return "the name has a NUL character; remove it." }
        // By bytes: a dot with a combining mark is another Character, yet still separates key
        // paths.
        if name.utf8.contains(UInt8(ascii: ".")) {
            return "the name has a dot, which separates key paths; remove it."
        }
        return nil
    }
}
