import DuramenModel

/// Finds duplicate names in a document that the check of entities and their stored properties does
/// not find.
struct DuplicateNames {
    private(set) var findings: [ModelFinding] = []

    init(_ document: ModelDocument) {
        look(at: document.composites.map { ($0.name, $0.element) }, "composite")
        look(at: document.fetchRequests.map { ($0.name, $0.element) }, "fetch request")
        look(at: document.configurations.map { ($0.name, $0.element) }, "configuration")
        for composite in document.composites {
            look(
                at: composite.attributes.map { ($0.name, $0.element) }, "attribute",
                of: composite.name)
        }
        for entity in document.entities {
            let stored =
                entity.attributes.map { ($0.name, $0.element) }
                + entity.relationships.map { ($0.name, $0.element) }
            look(
                at: entity.fetchedProperties.map { ($0.name, $0.element) }, "fetched property",
                of: entity.name, besides: Set(stored.map { StoredText($0.0) }))
        }
    }

    private mutating func look(
        at things: [(name: String, element: MarkupElement)], _ kind: String,
        of owner: String? = nil, besides taken: Set<StoredText> = []
    ) {
        var names = taken
        for (name, element) in things where !names.insert(StoredText(name)).inserted {
            findings.append(
                ModelFinding(
                    severity: .error, entity: owner ?? name, property: owner == nil ? nil : name,
                    message: "a second \(kind) of this name; rename one of them",
                    place: element.place))
        }
    }
}
