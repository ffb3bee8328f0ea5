public import Foundation

extension ManagedObjectModel {
    /// The model as data, which stores keep beside what they hold.
    ///
    /// It has everything that the descriptions say, but no Swift type: it names no classes, and of
    /// the types of transformable attributes the identifiers. Equal models have equal bytes.
    /// - Complexity: O(*n*) for *n* properties.
    public func archived() -> Data { ModelArchive(self).bytes }

    /// Reads an archived model.
    ///
    /// - Parameters:
    ///   - codableTypes: The types of transformable attributes, by their identifiers. The values of
    ///     others are ``EncodedBytes``: as they are stored.
    ///   - transformers: Who makes bytes of the values of attributes that name a transformer.
    /// - Throws: ``ModelError`` with the code `.invalidArchive` for what is no archive of a model,
    ///   or one of a later form; else as other models.
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
        // A checksum that was computed otherwise says nothing.
        if archive.hash == VersionHash.release, archive.checksum != versionChecksum {
            throw ModelArchive.damaged("it is not of the version that it names")
        }
    }
}
