/// Finds mistakes in the configurations of a model.
///
/// A configuration is a separate model for the stores that are opened with it. It must have all
/// ancestors of its entities, because their properties are in the same rows. It must also have the
/// destinations of all relationships. A missing entity is an error only when a store is opened with
/// the configuration, since models have configurations that are never used.
struct ConfigurationChecks {
    /// The mistakes of the model: names that do not exist, or exist twice.
    private(set) var mistakes: [ModelError.Mistake] = []
    /// The mistakes of each configuration, by its name.
    private(set) var problems: [StoredText: [ModelError.Mistake]] = [:]

    init(_ configurations: [ConfigurationDescription], of entities: [EntityDescription]) {
        if configurations.isEmpty { return }
        var byName: [StoredText: EntityDescription] = [:]
        for entity in entities { byName[StoredText(entity.name)] = entity }
        var names: Set<StoredText> = []
        for configuration in configurations {
            if configuration.name.isEmpty {
                note(
                    .invalidName, configuration, "the name of a configuration is empty; choose one."
                )
            }
            if !names.insert(StoredText(configuration.name)).inserted {
                note(
                    .duplicateName, configuration,
                    "two configurations have this name; rename one.")
            }
            check(configuration, byName)
        }
    }

    private mutating func check(
        _ configuration: ConfigurationDescription, _ entities: [StoredText: EntityDescription]
    ) {
        let members = Set(configuration.entities.map { StoredText($0) })
        var problems: [ModelError.Mistake] = []
        func lacks(_ message: String) {
            problems.append(
                .init(.invalidConfiguration, entity: configuration.name, message))
        }
        for name in configuration.entities {
            guard let entity = entities[StoredText(name)] else {
                note(
                    .unknownEntity, configuration,
                    "the configuration lists '\(name)', which is not in the model; correct it.")
                continue
            }
            if let parent = entity.superentity, !members.contains(StoredText(parent)) {
                lacks(
                    "the configuration has '\(name)' without its superentity '\(parent)', which "
                        + "keeps its objects in the same place; add that.")
            }
            for relationship in entity.relationships
            where !relationship.isHidden && !members.contains(StoredText(relationship.destination))
            {
                lacks(
                    "the configuration has '\(name)' but not '\(relationship.destination)', the "
                        + "destination of its '\(relationship.name)'; relationships cannot cross "
                        + "stores. Add the destination, or keep its objectID's URI in an attribute."
                )
            }
        }
        if !problems.isEmpty { self.problems[StoredText(configuration.name)] = problems }
    }

    private mutating func note(
        _ code: ModelError.Code, _ configuration: ConfigurationDescription, _ message: String
    ) {
        mistakes.append(.init(code, entity: configuration.name, message))
    }
}
