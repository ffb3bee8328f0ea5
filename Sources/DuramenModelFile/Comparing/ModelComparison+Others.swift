import DuramenModel

extension ModelComparison {
    /// Compares parts that do not affect stores: classes, fetched properties, requests and
    /// configurations.
    mutating func compareOthers(_ old: ModelDocument, _ new: ModelDocument) {
        let pairs = Pairing(
            old.entities, new.entities, name: \.name,
            renamingIdentifier: \.element.renamingIdentifier)
        for entity in new.entities {
            guard let before = pairs.old(of: entity.name) else { continue }
            if before.className != entity.className {
                note(
                    entity.name, nil, .none,
                    "class \(before.className ?? "none") is \(entity.className ?? "none") now")
            }
            if before.codeGeneration != entity.codeGeneration {
                note(
                    entity.name, nil, .none,
                    "code generation \(before.codeGeneration.rawValue) is "
                        + "\(entity.codeGeneration.rawValue) now")
            }
            compareDerivations(of: before, entity)
            compareNamed(
                before.fetchedProperties.map { ($0.name, $0.element) },
                entity.fetchedProperties.map { ($0.name, $0.element) }, "fetched property",
                of: entity.name)
        }
        compareNamed(
            old.fetchRequests.map { ($0.name, $0.element) },
            new.fetchRequests.map { ($0.name, $0.element) }, "fetch request")
        compareNamed(
            old.configurations.map { ($0.name, $0.element) },
            new.configurations.map { ($0.name, $0.element) }, "configuration")
    }

    /// Compares the derivations and value transformers of attributes.
    private mutating func compareDerivations(
        of old: ModelDocument.Entity, _ new: ModelDocument.Entity
    ) {
        let pairs = Pairing(
            old.attributes, new.attributes, name: \.name,
            renamingIdentifier: \.element.renamingIdentifier)
        for attribute in new.attributes {
            guard let before = pairs.old(of: attribute.name) else { continue }
            compare(before.isDerived, attribute.isDerived, new.name, attribute.name, "derived")
            if before.derivation != attribute.derivation, before.isDerived, attribute.isDerived {
                note(new.name, attribute.name, .inferred, "derivation changed")
            }
            if before.valueTransformerName != attribute.valueTransformerName {
                note(new.name, attribute.name, .none, "value transformer changed")
            }
        }
    }

    private mutating func compareNamed(
        _ olds: [(name: String, element: MarkupElement)],
        _ news: [(name: String, element: MarkupElement)], _ kind: String, of entity: String? = nil
    ) {
        let pairs = Pairing(olds, news, name: \.name, renamingIdentifier: { _ in nil })
        for (name, element) in news {
            guard let before = pairs.old(of: name) else {
                note(entity, name, .none, "\(kind) added")
                continue
            }
            if before.element != element { note(entity, name, .none, "\(kind) changed") }
        }
        for (name, _) in pairs.removed { note(entity, name, .none, "\(kind) removed") }
    }
}
