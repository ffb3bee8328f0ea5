extension ManagedObjectModel {
    /// Returns this model with other transformers. Use it for a model whose source is generated.
    ///
    /// - Throws: ``ModelError`` `.invalidCodableType` if the type of an attribute differs from the
    ///   type of its transformer.
    public func with(_ transformers: ValueTransformers) throws(ModelError) -> ManagedObjectModel {
        try ManagedObjectModel(
            descriptions, configurations: configurations, versionIdentifiers: versionIdentifiers,
            transformers: transformers)
    }
}
