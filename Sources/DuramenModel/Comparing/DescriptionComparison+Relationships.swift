extension DescriptionComparison {
    mutating func compareRelationships(
        of old: EntityDescription, _ new: EntityDescription, _ names: Names,
        _ hierarchies: Hierarchies
    ) {
        let entity = new.name
        let pairs = Pairing(
            old.relationships, new.relationships, name: \.name,
            renamingIdentifier: \.renamingIdentifier)
        for relationship in new.relationships {
            guard let before = pairs.old(of: relationship.name) else {
                note(entity, relationship.name, .inferred, "relationship added")
                continue
            }
            compare(before, relationship, in: entity, names, hierarchies)
        }
        noteAmbiguous(pairs, in: entity, name: \.name)
        for relationship in pairs.removed {
            note(
                entity, relationship.name, .inferred, "relationship removed",
                loss: "its destinations")
        }
        let added = new.relationships.filter {
            pairs.old(of: $0.name) == nil && !hierarchies.hadProperty($0.name, near: entity)
        }
        suspect(
            SuspectedRenaming.all(
                in: entity,
                removed: pairs.removed.map {
                    ($0.name, "\($0.isToMany) \(names.new(of: $0.destination) ?? "")")
                },
                added: added.map { ($0.name, "\($0.isToMany) \($0.destination)") }))
    }

    private mutating func compare(
        _ old: RelationshipDescription, _ new: RelationshipDescription, in entity: String,
        _ names: Names, _ hierarchies: Hierarchies
    ) {
        let name = new.name
        if StoredText(old.name) != StoredText(name) {
            note(entity, name, .inferred, "relationship renamed from \(old.name)")
        }
        if names.new(of: old.destination).map({ StoredText($0) }) != StoredText(new.destination) {
            let isGone = names.entities.newName(of: old.destination) == nil
            let isAncestor = hierarchies.isAncestor(new.destination, ofOld: old.destination)
            let isRelated = hierarchies.hasObjects(new.destination, ofOld: old.destination)
            let effect: ModelChange.Effect =
                if isGone || isAncestor {
                    .inferred
                } else if isRelated {
                    .checked("it refers to no other objects")
                } else {
                    .unsettled("its destinations are of another entity")
                }
            note(
                entity, name, effect,
                "destination \(old.destination) is \(new.destination) now",
                loss: isAncestor || isRelated ? nil : "its destinations")
        }
        if old.isToMany != new.isToMany {
            note(
                entity, name, new.isToMany ? .inferred : .checked("no object has more than one"),
                new.isToMany ? "to-many now" : "to-one now")
        }
        if old.isOptional != new.isOptional {
            // Existing objects without a destination still load; they fail validation at their next
            // save.
            note(entity, name, .inferred, new.isOptional ? "optional now" : "mandatory now")
        }
        compare(
            old.isOrdered, new.isOrdered, entity, name, "ordered", loss: "the order of its members")
        if (old.minimumCount, old.maximumCount ?? 0) != (new.minimumCount, new.maximumCount ?? 0) {
            note(entity, name, .inferred, "counts changed")
        }
        if old.deleteRule != new.deleteRule {
            note(
                entity, name, .none,
                "delete rule \(old.deleteRule.rawValue) is \(new.deleteRule.rawValue) now")
        }
        if old.inverse.map({ StoredText($0) }) != new.inverse.map({ StoredText($0) }) {
            note(
                entity, name, .inferred,
                "inverse \(old.inverse ?? "none") is \(new.inverse ?? "none") now")
        }
        if old.versionHashModifier != new.versionHashModifier {
            note(entity, name, .inferred, "version hash modifier changed")
        }
        if old.userInfo != new.userInfo { note(entity, name, .none, "user info changed") }
    }
}
