extension ManagedObjectModel {
    /// The entities of a configuration, in the order of ``entities``; all for nil, and nil for a name
    /// that the model does not have.
    public func entities(forConfiguration name: String?) -> [Entity]? {
        guard let name else { return entities }
        guard let submodel = submodels[StoredText(name)] else { return nil }
        return submodel.entities.compactMap { entity(for: $0.handle) }
    }

    /// The model that stores of a configuration are opened with: its entities and nothing else, with the
    /// same version hashes. This model for nil, and nil for a name that the model does not have.
    public func submodel(forConfiguration name: String?) -> ManagedObjectModel? {
        guard let name else { return self }
        return submodels[StoredText(name)]
    }

    /// The models of the configurations of a model with these descriptions.
    static func submodels(
        _ configurations: [ConfigurationDescription], of descriptions: [EntityDescription],
        versionIdentifiers: [String], transformers: ValueTransformers
    ) throws(ModelError) -> [StoredText: ManagedObjectModel] {
        let mistakes = ConfigurationChecks(configurations, of: descriptions).mistakes
        if !mistakes.isEmpty { throw ModelError(mistakes: mistakes) }
        var submodels: [StoredText: ManagedObjectModel] = [:]
        for configuration in configurations {
            let members = Set(configuration.entities.map { StoredText($0) })
            submodels[StoredText(configuration.name)] = try ManagedObjectModel(
                descriptions.filter { members.contains(StoredText($0.name)) }.map { description in
                    // They fetch from all stores, and no store knows them.
                    var description = description
                    description.fetchedProperties = []
                    return description
                },
                versionIdentifiers: versionIdentifiers, transformers: transformers)
        }
        return submodels
    }
}
