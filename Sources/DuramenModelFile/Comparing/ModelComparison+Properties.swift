import DuramenModel

extension ModelComparison {
    mutating func compareAttributes(
        of old: EntityDescription, _ new: EntityDescription, _ hierarchies: Hierarchies
    ) {
        let entity = new.name
        let pairs = Pairing(
            old.attributes, new.attributes, name: \.name, renamingIdentifier: \.renamingIdentifier)
        for attribute in new.attributes {
            guard let before = pairs.old(of: attribute.name) else {
                let moves = hierarchies.hadProperty(attribute.name, near: entity)
                note(
                    entity, attribute.name, moves ? .inferred : effect(ofAdding: attribute),
                    moves ? "attribute moved within the hierarchy" : "attribute added")
                continue
            }
            compare(before, attribute, named: attribute.name, in: entity)
        }
        for attribute in pairs.removed {
            note(entity, attribute.name, .inferred, "attribute removed")
        }
    }

    private func effect(ofAdding attribute: AttributeDescription) -> ModelChange.Effect {
        let needsValue =
            !attribute.isOptional && !attribute.isTransient && attribute.defaultValue.isNull
            && attribute.type != .composite
        return needsValue ? .unsettled("it is mandatory and has no default value") : .inferred
    }

    private mutating func compare(
        _ old: AttributeDescription, _ new: AttributeDescription, named path: String,
        in entity: String
    ) {
        if StoredText(old.name) != StoredText(new.name) {
            note(entity, path, .inferred, "attribute renamed from \(old.name)")
        }
        if old.type != new.type {
            note(
                entity, path, effect(ofChangingTypeOf: old, to: new),
                "type \(old.type) is \(new.type) now")
        }
        if old.isOptional != new.isOptional {
            let isSettled = new.isOptional || !new.defaultValue.isNull || new.type == .composite
            note(
                entity, path,
                isSettled ? .inferred : .unsettled("objects without a value have no default value"),
                new.isOptional ? "optional now" : "mandatory now")
        }
        if old.type == new.type, old.defaultValue != new.defaultValue {
            note(entity, path, .none, "default value changed")
        }
        compare(old.isTransient, new.isTransient, entity, path, "transient")
        compare(
            old.allowsExternalBinaryDataStorage, new.allowsExternalBinaryDataStorage, entity, path,
            "stored externally")
        compare(
            old.preservesValueInHistoryOnDeletion, new.preservesValueInHistoryOnDeletion, entity,
            path, "preserved in the history", .none)
        if old.type == new.type, old.codableType?.identifier != new.codableType?.identifier {
            note(
                entity, path, .none,
                "class of values \(old.codableType?.identifier ?? "none") is "
                    + "\(new.codableType?.identifier ?? "none") now")
        }
        if old.versionHashModifier != new.versionHashModifier {
            note(entity, path, .inferred, "version hash modifier changed")
        }
        if old.rules != new.rules { note(entity, path, .none, "rules of validation changed") }
        if old.userInfo != new.userInfo { note(entity, path, .none, "user info changed") }
        compareElements(old, new, named: path, in: entity)
    }

    private mutating func compareElements(
        _ old: AttributeDescription, _ new: AttributeDescription, named path: String,
        in entity: String
    ) {
        let pairs = Pairing(
            old.elements, new.elements, name: \.name, renamingIdentifier: \.renamingIdentifier)
        for element in new.elements {
            let name = "\(path).\(element.name)"
            if let before = pairs.old(of: element.name) {
                compare(before, element, named: name, in: entity)
            } else {
                // A composite without a value may lack elements that are mandatory.
                let effect = new.isOptional ? .inferred : effect(ofAdding: element)
                note(entity, name, effect, "element added")
            }
        }
        for element in pairs.removed {
            note(entity, "\(path).\(element.name)", .inferred, "element removed")
        }
    }

    private func effect(
        ofChangingTypeOf old: AttributeDescription, to new: AttributeDescription
    ) -> ModelChange.Effect {
        // No store has values of transient attributes.
        if new.isTransient { return .inferred }
        if old.isTransient { return effect(ofAdding: new) }
        return Self.effect(ofChanging: old.type, to: new.type)
    }

    private static func effect(
        ofChanging old: AttributeType, to new: AttributeType
    ) -> ModelChange.Effect {
        let integers: [AttributeType] = [.integer16, .integer32, .integer64]
        if let before = integers.firstIndex(of: old) {
            if let after = integers.firstIndex(of: new), after > before { return .inferred }
            if new == .double || new == .float { return .inferred }
        }
        if old == .float, new == .double { return .inferred }
        // A URI is stored as its text, and an encoded value as its bytes.
        let alike: [Set<AttributeType>] = [[.uri, .string], [.transformable, .binaryData]]
        if alike.contains([old, new]) { return .inferred }
        return .unsettled("values of one type are none of the other")
    }

    // MARK: - Relationships

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
                let effect: ModelChange.Effect =
                    !relationship.needsDestination
                        || hierarchies.hadProperty(relationship.name, near: entity)
                    ? .inferred : .unsettled("it is mandatory, and old objects lead nowhere")
                note(entity, relationship.name, effect, "relationship added")
                continue
            }
            compare(before, relationship, in: entity, names, hierarchies)
        }
        for relationship in pairs.removed {
            note(entity, relationship.name, .inferred, "relationship removed")
        }
    }

    private mutating func compare(
        _ old: RelationshipDescription, _ new: RelationshipDescription, in entity: String,
        _ names: Names, _ hierarchies: Hierarchies
    ) {
        let name = new.name
        if StoredText(old.name) != StoredText(name) {
            note(entity, name, .inferred, "relationship renamed from \(old.name)")
        }
        if names.new(of: old.destination) != new.destination {
            let effect: ModelChange.Effect =
                hierarchies.isAncestor(new.destination, ofOld: old.destination)
                ? .inferred : .unsettled("the objects it leads to are of another entity")
            note(
                entity, name, effect,
                "destination \(old.destination) is \(new.destination) now")
        }
        if old.isToMany != new.isToMany {
            let effect: ModelChange.Effect =
                new.isToMany ? .inferred : .unsettled("which of many objects is kept is not said")
            note(entity, name, effect, new.isToMany ? "to-many now" : "to-one now")
        }
        if old.isOptional != new.isOptional {
            let effect: ModelChange.Effect =
                new.needsDestination
                ? .unsettled("it may lead nowhere in old objects") : .inferred
            note(entity, name, effect, new.isOptional ? "optional now" : "mandatory now")
        }
        compare(old.isOrdered, new.isOrdered, entity, name, "ordered")
        if (old.minimumCount, old.maximumCount ?? 0) != (new.minimumCount, new.maximumCount ?? 0) {
            note(entity, name, .inferred, "counts changed")
        }
        if old.deleteRule != new.deleteRule {
            note(
                entity, name, .none,
                "delete rule \(old.deleteRule.rawValue) is \(new.deleteRule.rawValue) now")
        }
        if old.inverse != new.inverse {
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

extension RelationshipDescription {
    /// Whether objects without a destination break the model's rules: a mandatory to-many without a
    /// minimum may be empty.
    fileprivate var needsDestination: Bool { !isOptional && (!isToMany || minimumCount > 0) }
}
