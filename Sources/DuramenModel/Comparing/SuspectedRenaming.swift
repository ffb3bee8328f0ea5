/// A property that went and one that came in the same entity, which could be one that was renamed;
/// or two entities.
///
/// Without its renaming identifier a renamed property loses its values without a word, and a
/// renamed entity its objects, so that nothing is inferred until somebody says which it is.
public struct SuspectedRenaming: Sendable, Hashable {
    /// The entity's name in the new version; nil when entities are meant.
    public let entity: String?
    /// The name of the property or entity that went.
    public let old: String
    /// The name of the one that came.
    public let new: String

    /// The one that came, such as `Book.title`.
    public var name: String { [entity, new].compactMap(\.self).joined(separator: ".") }

    /// Those among entities: two that have the same properties, of which there are two at least, or
    /// names that are alike and at least half of the old one's properties.
    static func all(
        removed: [EntityDescription], added: [EntityDescription]
    ) -> [SuspectedRenaming] {
        let olds = removed.map { (name: $0.name, properties: properties(of: $0)) }
        let byProperties = Dictionary(
            olds.map { ($0.properties, $0.name) }, uniquingKeysWith: { first, _ in first })
        return added.compactMap { new in
            let names = properties(of: new)
            let same = names.count < 2 ? nil : byProperties[names]
            let old =
                same
                ?? olds.first { old in
                    !old.properties.isEmpty && areAlike(old.name, new.name)
                        && old.properties.intersection(names).count * 2 >= old.properties.count
                }?.name
            return old.map { SuspectedRenaming(entity: nil, old: $0, new: new.name) }
        }
    }

    private static func properties(of entity: EntityDescription) -> Set<StoredText> {
        Set(
            (entity.attributes.map(\.name) + entity.relationships.map(\.name)).map {
                StoredText($0)
            })
    }

    /// Those among properties of one kind.
    ///
    /// Two are suspected when they are the only ones of their type, or when their names are alike.
    static func all(
        in entity: String, removed: [(name: String, type: String)],
        added: [(name: String, type: String)]
    ) -> [SuspectedRenaming] {
        added.compactMap { new in
            let candidates = removed.filter { $0.type == new.type }
            let isOnly = candidates.count == 1 && added.filter { $0.type == new.type }.count == 1
            let old = isOnly ? candidates[0] : candidates.first { areAlike($0.name, new.name) }
            return old.map { SuspectedRenaming(entity: entity, old: $0.name, new: new.name) }
        }
    }

    /// Whether two names are one with something in front or behind, or spelled otherwise.
    private static func areAlike(_ a: String, _ b: String) -> Bool {
        let (a, b) = (plain(a), plain(b))
        if a == b { return true }
        let (short, long) = a.count < b.count ? (a, b) : (b, a)
        return short.count >= 3 && (long.hasPrefix(short) || long.hasSuffix(short))
    }

    private static func plain(_ name: String) -> String {
        name.lowercased().filter { $0 != "_" }
    }
}
