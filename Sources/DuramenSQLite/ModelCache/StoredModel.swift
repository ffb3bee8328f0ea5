public import DuramenModel

/// The model that a store of Core Data keeps of itself, as far as this version of the library can say it.
public struct StoredModel: Sendable {
    /// The model, to open the store with.
    public let model: ManagedObjectModel
    /// What the model says otherwise than the store's own, or leaves out.
    public let findings: [StoredModelFinding]
    /// The transformable attributes by the names of the entities that declare them.
    let transformables: [String: Set<String>]
}

/// One decision that was taken to make a store readable.
public struct StoredModelFinding: Sendable, Hashable, CustomStringConvertible {
    /// The entity's name.
    public let entity: String
    /// The property's name, where it is about one.
    public let property: String?
    /// What the store says, and what was made of it.
    public let message: String

    /// The place and the message in one line, such as `Photo.tags: ordered; read without order`.
    public var description: String { "\(entity)\(property.map { ".\($0)" } ?? ""): \(message)" }
}
