/// A removed and an added property of one entity, or two entities, that could be a renaming.
///
/// Without a renaming identifier, a renamed property silently loses its values, and a renamed
/// entity its objects. So nothing is inferred until you decide.
public struct SuspectedRenaming: Sendable, Hashable {
    /// The entity's name in the new version; nil for a suspected renaming of an entity.
    public let entity: String?
    /// The name of the removed property or entity.
    public let old: String
    /// The name of the added property or entity.
    public let new: String

    /// The full name of the added property or entity, such as `Book.title`.
    public var name: String { [entity, new].compactMap(\.self).joined(separator: ".") }

    /// Returns the suspected renamings of entities. Two entities are suspected if they have equal
    /// properties, at least two. They are also suspected if their names are alike and the new one
    /// has at least half of the old one's properties.
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

    /// Returns the suspected renamings of properties of one kind.
    ///
    /// Two properties are suspected if each is the only one of its type, or if their names are
    /// alike.
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

    /// Returns whether one name begins or ends with the other, or differs only in spelling.
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
