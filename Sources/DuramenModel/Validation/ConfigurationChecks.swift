/// Finds what is wrong with the configurations of a model whose entities are in order.
///
/// A configuration is a model of its own to the stores that are opened with it. So it has whole lines of
/// ancestors, whose properties are in the same rows, and the destinations of all relationships: a store
/// without them could never hold what such a relationship leads to.
struct ConfigurationChecks {
    private(set) var mistakes: [ModelError.Mistake] = []

    init(_ configurations: [ConfigurationDescription], of entities: [EntityDescription]) {
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
        for name in configuration.entities {
            guard let entity = entities[StoredText(name)] else {
                note(
                    .unknownEntity, configuration,
                    "the configuration lists '\(name)', which is not in the model; correct it.")
                continue
            }
            if let parent = entity.superentity, !members.contains(StoredText(parent)) {
                note(
                    .invalidConfiguration, configuration,
                    "the configuration has '\(name)' without its superentity '\(parent)', which "
                        + "keeps its objects in the same place; add that.")
            }
            for relationship in entity.relationships
            where !members.contains(StoredText(relationship.destination)) {
                note(
                    .invalidConfiguration, configuration,
                    "the configuration has '\(name)', whose '\(relationship.name)' leads to "
                        + "'\(relationship.destination)', and relationships do not leave a store; "
                        + "add that, or keep its objectID's URI in an attribute instead.")
            }
        }
    }

    private mutating func note(
        _ code: ModelError.Code, _ configuration: ConfigurationDescription, _ message: String
    ) {
        mistakes.append(.init(code, entity: configuration.name, message))
    }
}
