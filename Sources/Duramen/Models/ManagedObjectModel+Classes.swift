public import DuramenModel

extension ManagedObjectModel {
    /// Creates a model from managed classes, each of which describes its entity.
    ///
    /// - Throws: ``ModelError`` with all mistakes.
    public convenience init(
        _ classes: ManagedObject.Type..., versionIdentifiers: [String] = []
    ) throws(ModelError) {
        try self.init(classes: classes, versionIdentifiers: versionIdentifiers)
    }

    /// Creates a model from managed classes, each of which describes its entity.
    ///
    /// - Throws: ``ModelError`` with all mistakes.
    public convenience init(
        classes: [ManagedObject.Type], versionIdentifiers: [String] = []
    ) throws(ModelError) {
        let descriptions = classes.map(EntityDescription.of)
        let mistakes = descriptions.filter { !$0.isDescribed }.map { description in
            ModelError.Mistake(
                .classMismatch, entity: description.name,
                "its class says nothing of it; write @Managed before the class, or override entityDescription."
            )
        }
        if !mistakes.isEmpty { throw ModelError(mistakes: mistakes) }
        try self.init(descriptions, versionIdentifiers: versionIdentifiers)
    }

    /// Checks that each class's accessors match the rows of its entity.
    func checkClasses() throws(ModelError) {
        var mistakes: [ModelError.Mistake] = []
        for entity in entities {
            guard let type = entity.managedObjectClass?.type else { continue }
            guard let objectClass = type as? ManagedObject.Type else {
                mistakes.append(
                    .init(
                        .classMismatch, entity: entity.name,
                        "its class \(type) does not inherit from ManagedObject."))
                continue
            }
            if objectClass == ManagedObject.self { continue }
            // Only the name of a generic class contains it.
            if String(reflecting: objectClass).contains("<") {
                mistakes.append(
                    .init(
                        .classMismatch, entity: entity.name,
                        "its class \(objectClass) is generic; take one that is not."))
                continue
            }
            let described = objectClass.entityDescription
            if !described.isDescribed { continue }
            let own = descriptions[entity.id.index]
            let fits =
                StoredText(described.name) == StoredText(own.name)
                && slotNames(described) == slotNames(own)
                && toManyNames(described) == toManyNames(own)
            if !fits {
                mistakes.append(
                    .init(
                        .classMismatch, entity: entity.name,
                        "its properties differ from those that \(objectClass) declares; make the model "
                            + "from the class."))
            }
        }
        if !mistakes.isEmpty { throw ModelError(mistakes: mistakes) }
    }

    private func slotNames(_ description: EntityDescription) -> Set<String> {
        Set(
            description.attributes.flatMap { attribute in
                attribute.withElements().map {
                    "\($0.path):\($0.type.rawValue)\(attribute.isTransient ? " transient" : "")"
                }
            }
                + description.relationships.filter { !$0.isToMany }.map(\.name))
    }

    private func toManyNames(_ description: EntityDescription) -> Set<String> {
        Set(
            description.relationships.filter(\.isToMany).map {
                $0.name + ($0.isOrdered ? " ordered" : "")
            })
    }
}

extension EntityDescription {
    /// Returns the entity that a managed class describes, with the class.
    public static func of(_ type: ManagedObject.Type) -> EntityDescription {
        var description = type.entityDescription
        description.managedObjectClass = ManagedObjectClass(type)
        return description
    }
}
