import DuramenModel

/// Who inherits from whom in two versions of a model.
struct Hierarchies {
    private let old: Lineages
    private let new: Lineages
    private let pairs: Pairing<EntityDescription>

    init(
        _ olds: [EntityDescription], _ news: [EntityDescription],
        _ pairs: Pairing<EntityDescription>
    ) {
        old = Lineages(olds)
        new = Lineages(news)
        self.pairs = pairs
    }

    /// Whether an ancestor or descendant that an entity has now had a property of its own of this name, so that the
    /// property has moved.
    func hadProperty(_ property: String, near entity: String) -> Bool {
        let others = new.entities.filter { other in
            other.name != entity
                && (new.lineage(of: other.name).contains(entity)
                    || new.lineage(of: entity).contains(other.name))
        }
        return others.contains { other in
            guard let before = pairs.old(of: other.name) else { return false }
            return before.propertyNames.contains(StoredText(property))
                && !other.propertyNames.contains(StoredText(property))
        }
    }

    /// Whether an entity stands in a hierarchy now with others that it had no ancestor in common with, the new
    /// hierarchy's root left out.
    func mergesOthers(with entity: String) -> Bool {
        let root = new.lineage(of: entity).last
        let members = new.entities.filter {
            $0.name != root && new.lineage(of: $0.name).last == root
        }
        let roots = members.compactMap { member in
            pairs.old(of: member.name).flatMap { old.lineage(of: $0.name).last }
        }
        return Set(roots).count > 1
    }
}

/// The ancestors of entities of one version.
private struct Lineages {
    let entities: [EntityDescription]
    private let parents: [String: String]

    init(_ entities: [EntityDescription]) {
        self.entities = entities
        parents = Dictionary(
            entities.compactMap { entity in entity.superentity.map { (entity.name, $0) } },
            uniquingKeysWith: { first, _ in first })
    }

    /// An entity and its ancestors, the root last; a circle of them ends.
    func lineage(of name: String) -> [String] {
        var lineage = [name]
        while let parent = parents[lineage[lineage.count - 1]], !lineage.contains(parent) {
            lineage.append(parent)
        }
        return lineage
    }
}

extension EntityDescription {
    fileprivate var propertyNames: Set<StoredText> {
        Set((attributes.map(\.name) + relationships.map(\.name)).map { StoredText($0) })
    }
}
