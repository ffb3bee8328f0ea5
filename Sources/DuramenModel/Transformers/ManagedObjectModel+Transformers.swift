extension ManagedObjectModel {
    /// Returns this model with other transformers, for a model whose source is generated.
    ///
    /// - Throws: ``ModelError`` `.invalidCodableType` when an attribute has another type than the
    ///   transformer that it names.
    public func with(_ transformers: ValueTransformers) throws(ModelError) -> ManagedObjectModel {
        try ManagedObjectModel(
            descriptions, configurations: configurations, versionIdentifiers: versionIdentifiers,
            transformers: transformers)
    }
}
