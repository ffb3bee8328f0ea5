public import DuramenModel
public import Foundation

/// A kind of store whose files can be inspected without a model.
public protocol InspectableStoreType: PersistentStoreType {
    /// Inspects a store, which need not be open, in one unchanging state.
    ///
    /// - Parameters:
    ///   - description: Which store.
    ///   - model: The model that describes the entities; nil for the description in the store
    ///     itself.
    ///   - checks: Whether to look for references to missing rows, which reads every row.
    func report(
        on description: PersistentStoreDescription, model: ManagedObjectModel?, checks: Bool
    ) throws(StoreError) -> StoreReport
}

/// A report on a store's files: identity, model, entities and findings.
public struct StoreReport: Sendable, Encodable {
    /// The name of the store's type, such as `sqlite`.
    public var kind: String
    /// Where the store is.
    public var location: String
    /// The store's identity, part of every object URI.
    public var identifier: UUID
    /// The program that made the store, such as `Core Data, framework 1344`.
    public var writer: String
    /// The identifiers of the model's version.
    public var versionIdentifiers: [String]
    /// The checksum of the model; nil if the store does not keep it.
    public var modelChecksum: String?
    /// The application's own metadata entries, as texts by name.
    public var userInfo: [String: String] = [:]
    /// The entities in the order in which the store numbers them.
    public var entities: [EntityReport] = []
    /// The values whose own files are missing; empty if they were not checked.
    public var missingFiles: [MissingFile] = []
    /// Facts that the files do not show, and parts that are interpreted differently from what the
    /// files say.
    public var findings: [String] = []
    /// The differences between the files and those of Core Data; nil if they were not compared.
    public var differencesFromCoreData: [String]?

    /// Describes a store.
    public init(
        kind: String, location: String, identifier: UUID, writer: String,
        versionIdentifiers: [String], modelChecksum: String?
    ) {
        self.kind = kind
        self.location = location
        self.identifier = identifier
        self.writer = writer
        self.versionIdentifiers = versionIdentifiers
        self.modelChecksum = modelChecksum
    }

    /// Describes a store by its metadata.
    public init(kind: String, location: String, writer: String, metadata: StoreMetadata) {
        self.init(
            kind: kind, location: location, identifier: metadata.storeUUID, writer: writer,
            versionIdentifiers: metadata.modelVersionIdentifiers,
            modelChecksum: metadata.modelChecksum)
        userInfo = metadata.userInfo.mapValues(\.summary)
    }

    /// A value that is stored in its own file, which is missing.
    public struct MissingFile: Sendable, Hashable, Encodable, CustomStringConvertible {
        /// The name of the object's entity.
        public var entity: String
        /// The object's key.
        public var key: Int64
        /// The name of the attribute.
        public var attribute: String
        /// Where the file should be.
        public var path: String

        /// Describes a value and its file.
        public init(entity: String, key: Int64, attribute: String, path: String) {
            self.entity = entity
            self.key = key
            self.attribute = attribute
            self.path = path
        }

        /// The value and the file in one line.
        public var description: String {
            "\(entity)/p\(key).\(attribute): its file '\(path)' is missing"
        }
    }

    /// One entity of a store.
    public struct EntityReport: Sendable, Encodable {
        /// The entity's name.
        public var name: String
        /// The name of the entity that it inherits from.
        public var superentity: String?
        /// The version hash, in Base64.
        public var versionHash: String?
        /// The number of attributes, including inherited ones; nil if the store keeps no model.
        public var attributes: Int?
        /// The number of relationships, including inherited ones; nil if the store keeps no model.
        public var relationships: Int?
        /// The number of rows of exactly this entity; nil if the store has no place for them.
        public var rows: Int?
        /// The number of references to missing rows; nil if they were not checked.
        public var danglingReferences: Int?
        /// The number of values whose own files are missing; nil if they were not checked.
        public var missingFiles: Int?

        /// Describes an entity.
        public init(name: String, superentity: String? = nil, versionHash: String? = nil) {
            self.name = name
            self.superentity = superentity
            self.versionHash = versionHash
        }
    }
}

extension InspectableStoreType {
    /// Inspects a store, which need not be open, with the description in the store itself.
    public func report(
        on description: PersistentStoreDescription, checks: Bool
    ) throws(StoreError) -> StoreReport {
        try report(on: description, model: nil, checks: checks)
    }
}

extension StoreReport.EntityReport {
    /// Adds the information that a model has about the entity.
    public mutating func describe(_ entity: Entity, in model: ManagedObjectModel) {
        attributes = entity.attributes.count
        relationships = entity.relationships.count
        superentity = entity.superentity.map { model[$0].name }
    }
}

extension StoredValue {
    /// The value as a short text: of bytes only their number.
    public var summary: String {
        switch self {
        case .null: "null"
        case .integer(let number): "\(number)"
        case .double(let number): "\(number)"
        case .decimal(let number): "\(number)"
        case .text(let text), .uri(let text): text.string
        case .boolean(let flag): "\(flag)"
        case .date(let date): date.ISO8601Format()
        case .binary(let data): "\(data.count) bytes"
        case .uuid(let identifier): identifier.uuidString
        case .objectID(let id): id.uriRepresentation.absoluteString
        }
    }
}
