/// Checks whether every store can keep a name.
enum NameChecks {
    /// The longest name, in UTF-8 bytes. Engines allow a little more after prefixes.
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

    /// Returns why a path to an element of a composite cannot be kept; nil if it can.
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
        // By bytes: a dot with a combining mark is another Character, but still separates key
        // paths.
        if name.utf8.contains(UInt8(ascii: ".")) {
            return "the name has a dot, which separates key paths; remove it."
        }
        return nil
    }
}
