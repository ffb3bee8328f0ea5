package import DuramenModel
package import Foundation

/// A kind of store whose files can tell what is in them, without a model.
package protocol InspectableStoreType: PersistentStoreType {
    /// Looks at a store that need not be open, in one unchanging state.
    ///
    /// - Parameters:
    ///   - model: What the entities have; nil for what the store says of itself.
    ///   - checks: Whether to look for references to what is not there, which reads every row.
    func report(
        on description: PersistentStoreDescription, model: ManagedObjectModel?, checks: Bool
    ) throws(StoreError) -> StoreReport
}

/// What a store's files say.
package struct StoreReport: Sendable, Encodable {
    /// The name of the store's type, such as `sqlite`.
    package var kind: String
    /// Where the store is.
    package var location: String
    /// The store's identity, part of every object URI.
    package var identifier: UUID
    /// The program that made the store, such as `Core Data, framework 1344`.
    package var writer: String
    /// Names of the model's version.
    package var versionIdentifiers: [String]
    /// The checksum of the model; nil where the store notes none.
    package var modelChecksum: String?
    /// The application's own entries of the metadata, as texts by name.
    package var userInfo: [String: String] = [:]
    /// The entities in the order in which the store numbers them.
    package var entities: [EntityReport] = []
    /// The values that stand in files which are missing; empty where nobody looked.
    package var missingFiles: [MissingFile] = []
    /// What cannot be told, or is read otherwise than the store says.
    package var findings: [String] = []
    /// In what the files differ from those of Core Data; nil where nobody looked.
    package var differencesFromCoreData: [String]?

    /// Describes a store.
    package init(
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
    package struct MissingFile: Sendable, Hashable, Encodable, CustomStringConvertible {
        /// The name of the object's entity.
        package var entity: String
        /// The object's key.
        package var key: Int64
        /// The name of the attribute.
        package var attribute: String
        /// Where the file should be.
        package var path: String

        /// Names a value and its file.
        package init(entity: String, key: Int64, attribute: String, path: String) {
            self.entity = entity
            self.key = key
            self.attribute = attribute
            self.path = path
        }

        /// The value and the file in one line.
        package var description: String {
            "\(entity)/p\(key).\(attribute): its file '\(path)' is missing"
        }
    }

    /// One entity of a store.
    package struct EntityReport: Sendable, Encodable {
        /// The entity's name.
        package var name: String
        /// The name of the entity that it inherits from.
        package var superentity: String?
        /// The version hash, in Base64.
        package var versionHash: String?
        /// How many attributes it has, inherited ones too; nil where the store keeps no model.
        package var attributes: Int?
        /// How many relationships it has, inherited ones too; nil where the store keeps no model.
        package var relationships: Int?
        /// How many rows are of exactly this entity; nil where there is no place for them.
        package var rows: Int?
        /// How many of its references name rows that are not there; nil where nobody looked.
        package var danglingReferences: Int?
        /// How many of its values stand in files that are missing; nil where nobody looked.
        package var missingFiles: Int?

        /// Describes an entity.
        package init(name: String, superentity: String? = nil, versionHash: String? = nil) {
            self.name = name
            self.superentity = superentity
            self.versionHash = versionHash
        }
    }
}

extension InspectableStoreType {
    /// Looks at a store that need not be open, with what it says of itself.
    package func report(
        on description: PersistentStoreDescription, checks: Bool
    ) throws(StoreError) -> StoreReport {
        try report(on: description, model: nil, checks: checks)
    }
}

extension StoreReport.EntityReport {
    /// Notes what a model says about the entity.
    package mutating func describe(_ entity: Entity, in model: ManagedObjectModel) {
        attributes = entity.attributes.count
        relationships = entity.relationships.count
        superentity = entity.superentity.map { model[$0].name }
    }
}

extension StoredValue {
    /// The value in a few words: bytes only by their number.
    package var summary: String {
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
