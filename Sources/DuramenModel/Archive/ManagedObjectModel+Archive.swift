public import Foundation

extension ManagedObjectModel {
    /// Returns the model as data. Stores keep it beside their objects.
    ///
    /// The data has everything in the descriptions except Swift types. It has no classes, and only
    /// the identifiers of the types of transformable attributes. Equal models have equal bytes.
    /// - Complexity: O(*n*) for *n* properties.
    public func archived() -> Data { ModelArchive(self).bytes }

    /// Creates a model from an archive.
    ///
    /// - Parameters:
    ///   - data: The archive, as ``archived()`` returned it.
    ///   - codableTypes: The types of transformable attributes. Attributes of other types have
    ///     ``EncodedBytes`` as their values: the bytes as they are stored.
    ///   - transformers: The transformers for attributes that name one.
    /// - Throws: ``ModelError`` `.invalidArchive` if the data is not an archived model, is damaged,
    ///   or was written by a later version of Duramen. Also throws the errors of every other
    ///   initializer of a model.
    public convenience init(
        archived data: Data, codableTypes: [CodableType] = [],
        transformers: ValueTransformers = ValueTransformers()
    ) throws(ModelError) {
        let archive = try ModelArchive(bytes: data)
        try self.init(
            archive.descriptions(
                Dictionary(
                    codableTypes.map { (StoredText($0.identifier), $0) },
                    uniquingKeysWith: { first, _ in first })),
            configurations: (archive.configurations ?? []).map {
                ConfigurationDescription($0.name, entities: $0.entities)
            }, versionIdentifiers: archive.versionIdentifiers ?? [], transformers: transformers)
        // Checksums of different hash releases cannot be compared.
        if archive.hash == VersionHash.release, archive.checksum != versionChecksum {
            throw ModelArchive.damaged("it is not of the version that it names")
        }
    }
}
