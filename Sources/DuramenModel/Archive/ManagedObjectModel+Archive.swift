public import Foundation

extension ManagedObjectModel {
    /// The model as data, which stores keep beside what they hold.
    ///
    /// It has everything in the descriptions but Swift types: no classes, and only the identifiers
    /// of the types of transformable attributes. Equal models have equal bytes.
    /// - Complexity: O(*n*) for *n* properties.
    public func archived() -> Data { ModelArchive(self).bytes }

    /// Reads an archived model.
    ///
    /// - Parameters:
    ///   - codableTypes: The types of transformable attributes, by their identifiers. The values of
    ///     others are ``EncodedBytes``: as they are stored.
    ///   - transformers: The transformers for attributes that name one.
    /// - Throws: ``ModelError`` `.invalidArchive` for data that is not an archived model, is
    ///   damaged, or was written by a later version of Duramen; and for what any model is refused
    ///   for.
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
        // Checksums of another release cannot be compared.
        if archive.hash == VersionHash.release, archive.checksum != versionChecksum {
            throw ModelArchive.damaged("it is not of the version that it names")
        }
    }
}
