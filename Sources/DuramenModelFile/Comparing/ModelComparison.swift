import DuramenModel

/// Every difference between two versions of a model, and whether a migration between them can be inferred.
///
/// Entities and properties are the same when their names are, or when the new one gives the old
/// name as its renaming identifier and the old version has nothing of the new name. The rules of
/// inference are those of Core Data's lightweight migration; widening an integer and turning one
/// into a floating-point number count as inferred, as applications in the field rely on it. So do
/// types that are stored in the same way, and a destination that moves to an ancestor: its
/// references still lead to objects that are there.
public struct ModelComparison: Sendable, Hashable {
    /// The differences, in the order of the new version's entities, those that are gone last.
    public private(set) var changes: [ModelChange] = []

    /// Compares two versions.
    ///
    /// - Complexity: O(*n* log *n*) in the number of properties.
    public init(from old: ModelDocument, to new: ModelDocument) {
        let olds = DocumentTranslation.comparableDescriptions(of: old)
        let news = DocumentTranslation.comparableDescriptions(of: new)
        compareEntities(olds, news)
        compareOthers(old, new)
    }

    /// Whether nothing is different.
    public var isEmpty: Bool { changes.isEmpty }

    /// Whether a store of the old version is opened with the new one as it is.
    public var needsNoMigration: Bool { changes.allSatisfy { $0.effect == .none } }

    /// Whether a migration can be inferred, where one is needed at all.
    public var isInferable: Bool {
        changes.allSatisfy { if case .unsettled = $0.effect { false } else { true } }
    }

    mutating func note(
        _ entity: String?, _ property: String?, _ effect: ModelChange.Effect, _ message: String
    ) {
        changes.append(
            ModelChange(entity: entity, property: property, message: message, effect: effect))
    }

    // MARK: - Entities

    private mutating func compareEntities(
        _ olds: [EntityDescription], _ news: [EntityDescription]
    ) {
        let pairs = Pairing(
            olds, news, name: \.name, renamingIdentifier: \.renamingIdentifier)
        let names = Names(entities: pairs)
        let hierarchies = Hierarchies(olds, news, pairs)
        for new in news {
            guard let old = pairs.old(of: new.name) else {
                note(new.name, nil, .inferred, "entity added")
                continue
            }
            if StoredText(old.name) != StoredText(new.name) {
                note(new.name, nil, .inferred, "entity renamed from \(old.name)")
            }
            compareOwn(old, new, names, hierarchies)
            compareAttributes(of: old, new, hierarchies)
            compareRelationships(of: old, new, names, hierarchies)
        }
        for old in pairs.removed { note(old.name, nil, .inferred, "entity removed") }
    }

    private mutating func compareOwn(
        _ old: EntityDescription, _ new: EntityDescription, _ names: Names,
        _ hierarchies: Hierarchies
    ) {
        if names.new(of: old.superentity) != new.superentity {
            note(
                new.name, nil,
                hierarchies.mergesOthers(with: new.name)
                    ? .unsettled("entities without a common parent get one") : .inferred,
                "parent \(old.superentity ?? "none") is \(new.superentity ?? "none") now")
        }
        compare(old.isAbstract, new.isAbstract, new.name, nil, "abstract")
        if old.versionHashModifier != new.versionHashModifier {
            note(new.name, nil, .inferred, "version hash modifier changed")
        }
        let added = Set(new.uniquenessConstraints).subtracting(old.uniquenessConstraints)
        let removed = Set(old.uniquenessConstraints).subtracting(new.uniquenessConstraints)
        for constraint in added.sorted(by: { $0.joined() < $1.joined() }) {
            note(
                new.name, nil, .inferred,
                "unique now: \(constraint.joined(separator: ", ")); fails where objects share values"
            )
        }
        for constraint in removed.sorted(by: { $0.joined() < $1.joined() }) {
            note(new.name, nil, .inferred, "unique no more: \(constraint.joined(separator: ", "))")
        }
        if Set(old.indexes) != Set(new.indexes) { note(new.name, nil, .none, "indexes changed") }
        if old.userInfo != new.userInfo { note(new.name, nil, .none, "user info changed") }
    }

    mutating func compare(
        _ old: Bool, _ new: Bool, _ entity: String, _ property: String?, _ what: String,
        _ effect: ModelChange.Effect = .inferred
    ) {
        if old != new {
            note(entity, property, effect, new ? "\(what) now" : "not \(what) any more")
        }
    }
}

/// What the entities of two versions are called in the other one.
struct Names {
    let entities: Pairing<EntityDescription>

    /// The new name of an entity of the old version; the old one where it is gone.
    func new(of name: String?) -> String? {
        name.map { entities.newName(of: $0) ?? $0 }
    }
}
