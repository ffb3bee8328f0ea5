extension ManagedObjectModel {
    /// The same model with other transformers, for a model whose source is generated.
    ///
    /// - Throws: ``ModelError`` `.invalidCodableType` when a transformer and an attribute that names
    ///   it have different types.
    public func with(_ transformers: ValueTransformers) throws(ModelError) -> ManagedObjectModel {
        try ManagedObjectModel(
            descriptions, configurations: configurations, versionIdentifiers: versionIdentifiers,
            transformers: transformers)
    }
}
