public import DuramenModel
public import Foundation

/// The model that a store keeps, as far as this version of the library can express it.
public struct StoredModel: Sendable {
    /// The model, to open the store with.
    public let model: ManagedObjectModel
    /// The differences between this model and the store's own, and the parts left out; empty for
    /// Duramen's stores.
    public let findings: [StoredModelFinding]
    /// The transformable attributes by the names of the entities that declare them.
    public let transformables: [String: Set<String>]

    /// Describes a model.
    public init(model: ManagedObjectModel, findings: [StoredModelFinding] = []) {
        self.init(model: model, findings: findings, transformables: [:])
    }

    /// Describes a model whose transformable attributes are known.
    public init(
        model: ManagedObjectModel, findings: [StoredModelFinding],
        transformables: [String: Set<String>]
    ) {
        self.model = model
        self.findings = findings
        self.transformables = transformables
    }
}

extension StoredModel {
    /// Decodes the model archive that a store keeps.
    ///
    /// - Parameters:
    ///   - archive: The archive; nil for a store without one.
    ///   - codableTypes: The types of transformable attributes, by their identifiers.
    ///   - transformers: The transformers for attributes that name one.
    ///   - path: The store's path, for errors.
    /// - Throws: `.modelMissing` without an archive; `.damagedFile`; `.unsupported`.
    public init(
        archive: Data?, codableTypes: [CodableType], transformers: ValueTransformers, path: String
    ) throws(StoreError) {
        guard let archive else { throw .modelMissing(path) }
        do throws(ModelError) {
            let model = try ManagedObjectModel(
                archived: archive, codableTypes: codableTypes, transformers: transformers)
            let transformables = model.descriptions.map { description in
                let attributes = description.attributes.filter { $0.type == .transformable }
                return (description.name, Set(attributes.map(\.name)))
            }
            self.init(
                model: model, findings: [],
                transformables: Dictionary(transformables, uniquingKeysWith: { $0.union($1) }))
        } catch {
            throw StoreError(
                error.mistakes.contains { $0.code == .invalidArchive }
                    ? .damagedFile : .unsupported,
                "The model that '\(path)' keeps cannot be used: "
                    + error.mistakes.map(\.description).joined(separator: "; "))
        }
    }
}

extension StoreError {
    /// Returns the error for a store that keeps no model.
    package static func modelMissing(_ path: String) -> StoreError {
        StoreError(
            .modelMissing,
            "'\(path)' keeps no model of its own; open it with the model of the application that wrote "
                + "it, once for writing, and it keeps that.")
    }
}

/// A decision that was made so that a store can be read.
public struct StoredModelFinding: Sendable, Hashable, CustomStringConvertible {
    /// The entity's name.
    public let entity: String
    /// The property's name; nil if the decision is about the whole entity.
    public let property: String?
    /// A description of what the store contains and how it was interpreted.
    public let message: String

    /// Describes a decision.
    public init(entity: String, property: String?, message: String) {
        self.entity = entity
        self.property = property
        self.message = message
    }

    /// The place and the message in one line, such as `Photo.tags: ordered; read without order`.
    public var description: String { "\(entity)\(property.map { ".\($0)" } ?? ""): \(message)" }
}
