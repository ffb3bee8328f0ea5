public import DuramenModel
public import Foundation

/// A kind of store whose files can tell what is in them, without a model.
public protocol InspectableStoreType: PersistentStoreType {
    /// Looks at a store that need not be open, in one unchanging state.
    ///
    /// - Parameters:
    ///   - model: What the entities have; nil for what the store says of itself.
    ///   - checks: Whether to look for references to what is not there, which reads every row.
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
    /// Names of the model's version.
    public var versionIdentifiers: [String]
    /// The checksum of the model; nil where the store notes none.
    public var modelChecksum: String?
    /// The application's own entries of the metadata, as texts by name.
    public var userInfo: [String: String] = [:]
    /// The entities in the order in which the store numbers them.
    public var entities: [EntityReport] = []
    /// The values that stand in files which are missing; empty where nobody looked.
    public var missingFiles: [MissingFile] = []
    /// Facts that the files do not show, and parts that are read in another way than the files say.
    public var findings: [String] = []
    /// In what the files differ from those of Core Data; nil where nobody looked.
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

    /// A value that stands in a file of its own, which is missing.
    public struct MissingFile: Sendable, Hashable, Encodable, CustomStringConvertible {
        /// The name of the object's entity.
        public var entity: String
        /// The object's key.
        public var key: Int64
        /// The name of the attribute.
        public var attribute: String
        /// Where the file should be.
        public var path: String

        /// Names a value and its file.
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
        /// How many attributes it has, inherited ones too; nil where the store keeps no model.
        public var attributes: Int?
        /// How many relationships it has, inherited ones too; nil where the store keeps no model.
        public var relationships: Int?
        /// How many rows are of exactly this entity; nil where there is no place for them.
        public var rows: Int?
        /// How many of its references name rows that are not there; nil where nobody looked.
        public var danglingReferences: Int?
        /// How many of its values stand in files that are missing; nil where nobody looked.
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
    /// Looks at a store that need not be open, with what it says of itself.
    public func report(
        on description: PersistentStoreDescription, checks: Bool
    ) throws(StoreError) -> StoreReport {
        try report(on: description, model: nil, checks: checks)
    }
}

extension StoreReport.EntityReport {
    /// Notes what a model says about the entity.
    public mutating func describe(_ entity: Entity, in model: ManagedObjectModel) {
        attributes = entity.attributes.count
        relationships = entity.relationships.count
        superentity = entity.superentity.map { model[$0].name }
    }
}

extension StoredValue {
    /// The value in a few words: bytes only by their number.
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
