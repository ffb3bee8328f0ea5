extension DescriptionComparison {
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
        noteAmbiguous(pairs, in: entity, name: \.name)
        for attribute in pairs.removed {
            note(
                entity, attribute.name, .inferred, "attribute removed",
                loss: attribute.isTransient ? nil : "its values")
        }
        let added = new.attributes.filter {
            pairs.old(of: $0.name) == nil && !hierarchies.hadProperty($0.name, near: entity)
        }
        suspect(
            SuspectedRenaming.all(
                in: entity, removed: pairs.removed.map { ($0.name, $0.type.description) },
                added: added.filter { !$0.isTransient }.map { ($0.name, $0.type.description) }))
    }

    private func effect(ofAdding attribute: AttributeDescription) -> ModelChange.Effect {
        let needsValue =
            !attribute.isOptional && !attribute.isTransient && attribute.defaultValue.isNull
            && attribute.type != .composite && attribute.derivationExpression == nil
        return needsValue ? .unsettled(ModelChange.addedWithoutValue) : .inferred
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
            let isSettled =
                new.isOptional || new.isTransient || !new.defaultValue.isNull
                || new.type == .composite || new.derivationExpression != nil
            note(
                entity, path,
                isSettled ? .inferred : .unsettled(ModelChange.mandatoryWithoutValue),
                new.isOptional ? "optional now" : "mandatory now")
        }
        if old.type == new.type, old.defaultValue != new.defaultValue {
            note(entity, path, .none, "default value changed")
        }
        if old.isTransient != new.isTransient {
            note(
                entity, path, new.isTransient ? .inferred : effect(ofAdding: new),
                new.isTransient ? "transient now" : "not transient any more",
                loss: new.isTransient ? "its values" : nil)
        }
        compare(
            old.allowsExternalBinaryDataStorage, new.allowsExternalBinaryDataStorage, entity, path,
            "stored externally")
        compare(
            old.preservesValueInHistoryOnDeletion, new.preservesValueInHistoryOnDeletion, entity,
            path, "preserved in the history", .none)
        compareTypes(
            old.codableType?.identifier, new.codableType?.identifier, entity, path,
            old.type == new.type)
        if comparesDerivations { compareDerivations(old, new, entity, path) }
        if old.versionHashModifier != new.versionHashModifier {
            note(entity, path, .inferred, "version hash modifier changed")
        }
        if old.rules != new.rules { note(entity, path, .none, "rules of validation changed") }
        if old.userInfo != new.userInfo { note(entity, path, .none, "user info changed") }
        compareElements(old, new, named: path, in: entity)
    }

    /// Compares the types of transformable attributes. Their encoded values are kept unchanged.
    private mutating func compareTypes(
        _ old: String?, _ new: String?, _ entity: String, _ path: String, _ isTransformable: Bool
    ) {
        guard isTransformable, old != new else { return }
        note(
            entity, path, areOtherTypes(old, new) ? .inferred : .none,
            "class of values \(old ?? "none") is \(new ?? "none") now")
    }

    private mutating func compareDerivations(
        _ old: AttributeDescription, _ new: AttributeDescription, _ entity: String, _ path: String
    ) {
        let (before, after) = (old.normalDerivation, new.normalDerivation)
        if before == after { return }
        note(
            entity, path, .inferred,
            before == nil
                ? "derived now"
                : after == nil ? "not derived any more" : "derivation changed")
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
                // A composite without a value may lack mandatory elements.
                let effect = new.isOptional ? .inferred : effect(ofAdding: element)
                note(entity, name, effect, "element added")
            }
        }
        for element in pairs.removed {
            note(
                entity, "\(path).\(element.name)", .inferred, "element removed", loss: "its values")
        }
    }

    private func effect(
        ofChangingTypeOf old: AttributeDescription, to new: AttributeDescription
    ) -> ModelChange.Effect {
        // Stores have no values of transient attributes.
        if new.isTransient { return .inferred }
        if old.isTransient { return effect(ofAdding: new) }
        return Self.effect(ofChanging: old.type, to: new.type)
    }

    private static func effect(
        ofChanging old: AttributeType, to new: AttributeType
    ) -> ModelChange.Effect {
        if let conversion = ValueConversion(from: old, to: new) {
            return conversion.isLossless
                ? .inferred : .checked("every value is one of the new type as it is")
        }
        return .unsettled("values of one type are none of the other")
    }
}

extension AttributeDescription {
    /// The derivation in the normal form that versions compare.
    fileprivate var normalDerivation: String? {
        derivationExpression.map { DerivationExpression($0)?.description ?? $0 }
    }
}
