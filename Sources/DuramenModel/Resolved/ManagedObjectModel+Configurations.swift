extension ManagedObjectModel {
    /// The entities of a configuration, in the order of ``entities``; all for nil, and nil for a
    /// name that the model does not have.
    public func entities(forConfiguration name: String?) -> [Entity]? {
        guard let name else { return entities }
        let key = StoredText(name)
        guard let configuration = configurations.first(where: { StoredText($0.name) == key }) else {
            return nil
        }
        let members = Set(configuration.entities.map { StoredText($0) })
        return entities.filter { members.contains(StoredText($0.name)) }
    }

    /// The model that stores of a configuration are opened with: its entities and nothing else,
    /// with the same version hashes. This model for nil, and nil for a name that the model does not
    /// have.
    ///
    /// - Throws: ``ModelError`` `.invalidConfiguration` when the configuration lacks the
    ///   superentity of one of its entities, or the destination of a relationship. A model with
    ///   such a configuration can be used with its others.
    public func submodel(
        forConfiguration name: String?
    ) throws(ModelError) -> ManagedObjectModel? {
        guard let name else { return self }
        return try submodels[StoredText(name)]?.get()
    }

    /// What the configurations lack, in their order: each is a mistake for those who open a store
    /// with that configuration.
    package var configurationProblems: [ModelError.Mistake] {
        configurations.flatMap { configuration in
            guard case .failure(let error)? = submodels[StoredText(configuration.name)] else {
                return [ModelError.Mistake]()
            }
            return error.mistakes
        }
    }

    /// The models of the configurations of a model with these descriptions, each by the name of its
    /// configuration; an error where it lacks something.
    static func submodels(
        _ configurations: [ConfigurationDescription], of descriptions: [EntityDescription],
        versionIdentifiers: [String], transformers: ValueTransformers
    ) -> [StoredText: Result<ManagedObjectModel, ModelError>] {
        let problems = ConfigurationChecks(configurations, of: descriptions).problems
        var submodels: [StoredText: Result<ManagedObjectModel, ModelError>] = [:]
        for configuration in configurations {
            let name = StoredText(configuration.name)
            if let mistakes = problems[name] {
                submodels[name] = .failure(ModelError(mistakes: mistakes))
                continue
            }
            let members = Set(configuration.entities.map { StoredText($0) })
            let own = descriptions.filter { members.contains(StoredText($0.name)) }.map {
                description in
                // They fetch from all stores, and no store knows them.
                var description = description
                description.fetchedProperties = []
                return description
            }
            submodels[name] = Result { () throws(ModelError) in
                try ManagedObjectModel(
                    own, versionIdentifiers: versionIdentifiers, transformers: transformers)
            }
        }
        return submodels
    }
}
