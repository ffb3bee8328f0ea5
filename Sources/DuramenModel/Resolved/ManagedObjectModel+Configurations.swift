extension ManagedObjectModel {
    /// Returns the entities of a configuration, in the order of ``entities``. Returns all entities
    /// for nil, and nil for an unknown name.
    public func entities(forConfiguration name: String?) -> [Entity]? {
        guard let name else { return entities }
        let key = StoredText(name)
        guard let configuration = configurations.first(where: { StoredText($0.name) == key }) else {
            return nil
        }
        let members = Set(configuration.entities.map { StoredText($0) })
        return entities.filter { members.contains(StoredText($0.name)) }
    }

    /// Returns the model for stores of a configuration: only its entities, with their version
    /// hashes. Returns this model for nil, and nil for an unknown name.
    ///
    /// - Throws: ``ModelError`` `.invalidConfiguration` if the configuration lacks the superentity
    ///   of one of its entities, or the destination of a relationship. The model's other
    ///   configurations can still be used.
    public func submodel(
        forConfiguration name: String?
    ) throws(ModelError) -> ManagedObjectModel? {
        guard let name else { return self }
        return try submodels[StoredText(name)]?.get()
    }

    /// The mistakes of the configurations, in their order. Each is an error when a store is opened
    /// with that configuration.
    package var configurationProblems: [ModelError.Mistake] {
        configurations.flatMap { configuration in
            guard case .failure(let error)? = submodels[StoredText(configuration.name)] else {
                return [ModelError.Mistake]()
            }
            return error.mistakes
        }
    }

    /// Returns the model of each configuration, by the configuration's name; an error if it lacks
    /// an entity.
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
                // Fetched properties fetch from all stores, and stores do not know them.
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
