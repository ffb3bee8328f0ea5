/// Every difference between the descriptions of two versions of a model.
///
/// Inference follows Core Data's lightweight migration. It also infers changes that lose nothing: a
/// type that can hold every value, or a destination that moves to an ancestor.
package struct DescriptionComparison {
    /// The differences, in the order of the new version's entities; removed entities come last.
    package private(set) var changes: [ModelChange] = []
    /// Pairs of a removed and an added property of one entity that could be a renaming.
    package private(set) var suspectedRenamings: [SuspectedRenaming] = []
    let comparesDerivations: Bool
    private let isSwiftType: (String) -> Bool

    /// Compares two versions.
    ///
    /// - Parameters:
    ///   - olds: The entities of the old version.
    ///   - news: The entities of the new version.
    ///   - comparesDerivations: False if the caller compares derivations itself.
    ///   - isSwiftType: Whether the name of a transformable attribute's type is part of a version.
    /// - Complexity: O(*n* log *n*) in the number of properties, and one comparison of names for
    ///   each pair of a removed and an added entity.
    package init(
        from olds: [EntityDescription], to news: [EntityDescription],
        comparesDerivations: Bool = true, isSwiftType: @escaping (String) -> Bool = { _ in true }
    ) {
        self.comparesDerivations = comparesDerivations
        self.isSwiftType = isSwiftType
        compareEntities(olds, news)
    }

    mutating func note(
        _ entity: String?, _ property: String?, _ effect: ModelChange.Effect, _ message: String,
        loss: String? = nil
    ) {
        changes.append(
            ModelChange(
                entity: entity, property: property, message: message, effect: effect, loss: loss))
    }

    mutating func suspect(_ renamings: [SuspectedRenaming]) { suspectedRenamings += renamings }

    /// Returns whether two names of types are different types.
    func areOtherTypes(_ old: String?, _ new: String?) -> Bool {
        let counted = [old, new].map { name in name.flatMap { isSwiftType($0) ? $0 : nil } }
        return counted[0].map { StoredText($0) } != counted[1].map { StoredText($0) }
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
        noteAmbiguous(pairs, in: nil, name: \.name)
        suspect(
            SuspectedRenaming.all(
                removed: pairs.removed, added: news.filter { pairs.old(of: $0.name) == nil }))
        for old in pairs.removed {
            note(old.name, nil, .inferred, "entity removed", loss: "its objects")
        }
    }

    /// Notes ambiguous changes: renamings or additions whose identifier names something that
    /// already has a new name.
    mutating func noteAmbiguous<Thing>(
        _ pairs: Pairing<Thing>, in entity: String?, name: (Thing) -> String
    ) {
        for (new, old) in pairs.ambiguous {
            changes.append(
                .ambiguousRenaming(
                    of: entity == nil ? nil : name(new), in: entity ?? name(new), from: name(old)))
        }
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
        if old.isAbstract != new.isAbstract {
            note(
                new.name, nil,
                new.isAbstract ? .checked("no object is of exactly this entity") : .inferred,
                new.isAbstract ? "abstract now" : "not abstract any more")
        }
        if old.versionHashModifier != new.versionHashModifier {
            note(new.name, nil, .inferred, "version hash modifier changed")
        }
        compareConstraints(old, new)
        if Set(old.indexes) != Set(new.indexes) { note(new.name, nil, .none, "indexes changed") }
        if old.userInfo != new.userInfo { note(new.name, nil, .none, "user info changed") }
    }

    private mutating func compareConstraints(_ old: EntityDescription, _ new: EntityDescription) {
        let added = Set(new.uniquenessConstraints).subtracting(old.uniquenessConstraints)
        let removed = Set(old.uniquenessConstraints).subtracting(new.uniquenessConstraints)
        for constraint in added.sorted(by: { $0.joined() < $1.joined() }) {
            note(
                new.name, nil, .checked("no two objects share values"),
                "unique now: \(constraint.joined(separator: ", "))")
        }
        for constraint in removed.sorted(by: { $0.joined() < $1.joined() }) {
            note(new.name, nil, .inferred, "unique no more: \(constraint.joined(separator: ", "))")
        }
    }

    mutating func compare(
        _ old: Bool, _ new: Bool, _ entity: String, _ property: String?, _ what: String,
        _ effect: ModelChange.Effect = .inferred, loss: String? = nil
    ) {
        if old != new {
            note(
                entity, property, effect, new ? "\(what) now" : "not \(what) any more",
                loss: new ? nil : loss)
        }
    }
}

/// The names of the entities of two versions.
struct Names {
    let entities: Pairing<EntityDescription>

    /// Returns the new name of an entity of the old version; a removed entity keeps its old name.
    func new(of name: String?) -> String? {
        name.map { entities.newName(of: $0) ?? $0 }
    }
}
