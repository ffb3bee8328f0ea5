public import DuramenModel
public import Foundation

/// A version of a model, by its checksum, and where to get it.
///
/// ```swift
/// let first = ManagedObjectModelReference(model: oldModel)
/// let second = try ManagedObjectModelReference(path: "Models/2.0.duramenmodel")
/// ```
public struct ManagedObjectModelReference: Sendable {
    /// The version.
    public let versionChecksum: String
    /// The name of the version; nil for none.
    public let name: String?

    private enum Place: Sendable {
        case model(ManagedObjectModel)
        case archive(Data)
        case elsewhere
    }

    private let place: Place
    /// The checksum of the model itself, which may be another one by mistake.
    let ownChecksum: String?

    private init(
        _ place: Place, of model: ManagedObjectModel, _ versionChecksum: String?, _ name: String?
    ) {
        self.place = place
        self.versionChecksum = versionChecksum ?? model.versionChecksum
        self.name = name ?? model.versionIdentifiers.first
        ownChecksum = model.versionChecksum
    }

    /// Refers to a model.
    ///
    /// - Parameter versionChecksum: The checksum that it should have; nil for the one that it has.
    public init(
        model: ManagedObjectModel, versionChecksum: String? = nil, name: String? = nil
    ) {
        self.init(.model(model), of: model, versionChecksum, name)
    }

    /// Refers to an archived model.
    ///
    /// - Parameter versionChecksum: The checksum that it should have; nil for the one that it has.
    /// - Throws: ``ModelError`` for data that is no archived model.
    public init(
        archive: Data, versionChecksum: String? = nil, name: String? = nil
    ) throws(ModelError) {
        let model = try ManagedObjectModel(archived: archive)
        self.init(.archive(archive), of: model, versionChecksum, name)
    }

    /// Refers to the archived model in a file, such as `Models/1.0.duramenmodel`.
    ///
    /// - Parameter versionChecksum: The checksum that it should have; nil for the one that it has.
    /// - Throws: ``StoreError`` `.modelReferenceNotFound` for a file that cannot be read or is no
    ///   archived model.
    public init(
        path: String, versionChecksum: String? = nil, name: String? = nil
    ) throws(StoreError) {
        do throws(FrozenModelError) {
            let version = try FrozenModels.read(path)
            self.init(
                .archive(version.model.archived()), of: version.model, versionChecksum,
                name ?? version.name)
        } catch {
            throw StoreError(.modelReferenceNotFound, error.message)
        }
    }

    /// Refers to a version that the store itself keeps, or that another stage brings.
    public init(versionChecksum: String, name: String? = nil) {
        self.versionChecksum = versionChecksum
        self.name = name
        place = .elsewhere
        ownChecksum = nil
    }

    /// The name in messages: the name, or the beginning of the checksum.
    var shortName: String { name ?? String(versionChecksum.prefix(8)) }

    /// Whether the reference brings its model.
    var bringsModel: Bool { ownChecksum != nil }

    /// The model; nil for a checksum alone.
    ///
    /// - Parameters:
    ///   - codableTypes: The types of transformable attributes in an archive.
    ///   - transformers: The transformers of an archive.
    func model(
        codableTypes: [CodableType] = [], transformers: ValueTransformers = ValueTransformers()
    ) throws(StoreError) -> ManagedObjectModel? {
        switch place {
        case .model(let model): return model
        case .elsewhere: return nil
        case .archive(let data):
            do throws(ModelError) {
                return try ManagedObjectModel(
                    archived: data, codableTypes: codableTypes, transformers: transformers)
            } catch {
                throw StoreError(
                    .modelReferenceNotFound, "The archived model '\(shortName)' cannot be used.",
                    detail: "\(error)")
            }
        }
    }
}

extension ManagedObjectModelReference: Hashable {
    /// True for one version.
    public static func == (a: ManagedObjectModelReference, b: ManagedObjectModelReference) -> Bool {
        a.versionChecksum == b.versionChecksum
    }

    /// Feeds the version.
    public func hash(into hasher: inout Hasher) { hasher.combine(versionChecksum) }
}

extension ManagedObjectModel {
    /// The types of its transformable attributes, each once.
    var codableTypes: [CodableType] {
        var types: [CodableType] = []
        for attribute in entities.flatMap(\.attributes) {
            if let type = attribute.codableType, !types.contains(type) { types.append(type) }
        }
        return types
    }
}
