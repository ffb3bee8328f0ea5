public import DuramenModel
public import Foundation

/// A reference to a version of a model: its checksum, and where to load the model.
///
/// ```swift
/// let first = ManagedObjectModelReference(model: oldModel)
/// let second = try ManagedObjectModelReference(path: "Models/2.0.duramenmodel")
/// ```
public struct ManagedObjectModelReference: Sendable {
    /// The checksum of the version.
    public let versionChecksum: String
    /// The name of the version; nil for none.
    public let name: String?

    private enum Place: Sendable {
        case model(ManagedObjectModel)
        case archive(Data)
        case elsewhere
    }

    private let place: Place
    /// The checksum of the model itself, which may differ by mistake.
    let ownChecksum: String?

    private init(
        _ place: Place, of model: ManagedObjectModel, _ versionChecksum: String?, _ name: String?
    ) {
        self.place = place
        self.versionChecksum = versionChecksum ?? model.versionChecksum
        self.name = name ?? model.versionIdentifiers.first
        ownChecksum = model.versionChecksum
    }

    /// Creates a reference to a model.
    ///
    /// - Parameters:
    ///   - model: The model.
    ///   - versionChecksum: The expected checksum; nil for the model's own.
    ///   - name: The name of the version; nil for none.
    public init(
        model: ManagedObjectModel, versionChecksum: String? = nil, name: String? = nil
    ) {
        self.init(.model(model), of: model, versionChecksum, name)
    }

    /// Creates a reference to an archived model.
    ///
    /// - Parameters:
    ///   - archive: The archive.
    ///   - versionChecksum: The expected checksum; nil for the model's own.
    ///   - name: The name of the version; nil for none.
    /// - Throws: ``ModelError`` when the data is not an archived model.
    public init(
        archive: Data, versionChecksum: String? = nil, name: String? = nil
    ) throws(ModelError) {
        let model = try ManagedObjectModel(archived: archive)
        self.init(.archive(archive), of: model, versionChecksum, name)
    }

    /// Creates a reference to the archived model in a file, such as `Models/1.0.duramenmodel`.
    ///
    /// - Parameters:
    ///   - path: The path of the file.
    ///   - versionChecksum: The expected checksum; nil for the model's own.
    ///   - name: The name of the version; nil for the one in the file.
    /// - Throws: ``StoreError`` `.modelReferenceNotFound` when the file cannot be read or is not an
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

    /// Creates a reference to a version whose model the store itself or another stage has.
    public init(versionChecksum: String, name: String? = nil) {
        self.versionChecksum = versionChecksum
        self.name = name
        place = .elsewhere
        ownChecksum = nil
    }

    /// The name for messages: the name, or the beginning of the checksum.
    var shortName: String { name ?? String(versionChecksum.prefix(8)) }

    /// Whether the reference has its model.
    var bringsModel: Bool { ownChecksum != nil }

    /// Returns the model; nil for a reference with a checksum only.
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
    /// Returns whether both refer to one version.
    public static func == (a: ManagedObjectModelReference, b: ManagedObjectModelReference) -> Bool {
        a.versionChecksum == b.versionChecksum
    }

    /// Hashes the version's checksum.
    public func hash(into hasher: inout Hasher) { hasher.combine(versionChecksum) }
}

extension ManagedObjectModel {
    /// The types of the model's transformable attributes, each once.
    var codableTypes: [CodableType] {
        var types: [CodableType] = []
        for attribute in entities.flatMap(\.attributes) {
            if let type = attribute.codableType, !types.contains(type) { types.append(type) }
        }
        return types
    }
}
