import Foundation

/// A model as data, in a form that later versions of the library can read.
///
/// The archive is JSON in UTF-8 with sorted keys. Fields with their usual values are left out,
/// which keeps an archive short. Equal models have equal bytes. Swift types are not archived.
struct ModelArchive: Codable {
    /// The format of the archive. A later format cannot be read.
    static let format = 1
    /// More bytes than the archive of a model of the largest size has.
    static let maximumBytes = 64 << 20
    /// The maximum depth of nesting; composites can be nested.
    static let maximumDepth = 256

    var format = ModelArchive.format
    /// How the checksum is computed; see ``VersionHash/release``.
    var hash = VersionHash.release
    var checksum: String
    var entities: [Entity]
    var configurations: [Configuration]?
    var versionIdentifiers: [String]?

    struct Entity: Codable {
        var name: String
        var superentity: String?
        var isAbstract: Bool?
        var attributes: [Attribute]?
        var relationships: [Relationship]?
        var fetchedProperties: [FetchedProperty]?
        var uniquenessConstraints: [[String]]?
        var indexes: [Index]?
        var renamingIdentifier: String?
        var versionHashModifier: String?
        var userInfo: [String: String]?
    }

    struct Attribute: Codable {
        var name: String
        var type: Int16
        var isOptional: Bool?
        var defaultValue: Literal?
        var isTransient: Bool?
        var allowsExternalBinaryDataStorage: Bool?
        var preservesValueInHistoryOnDeletion: Bool?
        var isConfidential: Bool?
        var elements: [Attribute]?
        var codableType: String?
        var valueTransformerName: String?
        var renamingIdentifier: String?
        var versionHashModifier: String?
        var userInfo: [String: String]?
        var derivationExpression: String?
        var rules: Rules?
    }

    struct Rules: Codable {
        var minimum: Literal?
        var maximum: Literal?
        var minimumLength: Int?
        var maximumLength: Int?
        var pattern: String?
        var predicates: [Predicate]?
    }

    struct Predicate: Codable {
        var format: String
        var warning: String?
    }

    struct Relationship: Codable {
        var name: String
        var destination: String
        var isToMany: Bool?
        var isOptional: Bool?
        var deleteRule: DeleteRule?
        var inverse: String?
        var isOrdered: Bool?
        var minimumCount: Int?
        var maximumCount: Int?
        var renamingIdentifier: String?
        var versionHashModifier: String?
        var userInfo: [String: String]?
    }

    struct FetchedProperty: Codable {
        var name: String
        var destination: String
        var predicateFormat: String?
        var sortKeys: [Key]?
        var fetchLimit: Int?
        var userInfo: [String: String]?
    }

    struct Index: Codable {
        var name: String
        var elements: [Key]
    }

    /// A property of an index, or a key of an order.
    struct Key: Codable {
        var path: String
        var isDescending: Bool?
    }

    struct Configuration: Codable {
        var name: String
        var entities: [String]
    }

    // MARK: - Bytes

    var bytes: Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        do {
            return try encoder.encode(self)
        } catch {
            // The encoder gets only texts, integers and Booleans, so encoding cannot fail.
            preconditionFailure("A model could not be archived: \(error)")
        }
    }

    init(bytes: Data) throws(ModelError) {
        guard bytes.count <= Self.maximumBytes else {
            throw Self.damaged("it has more than \(Self.maximumBytes >> 20) MiB")
        }
        guard let depth = bytes.withUnsafeBytes(EncodedValue.depth(of:)) else {
            throw Self.damaged("it is not JSON in UTF-8")
        }
        guard depth <= Self.maximumDepth else {
            throw Self.damaged("it is nested more than \(Self.maximumDepth) deep")
        }
        struct Form: Decodable { var format: Int }
        do {
            let decoder = JSONDecoder()
            let form = try decoder.decode(Form.self, from: bytes).format
            if form == Self.format {
                self = try decoder.decode(ModelArchive.self, from: bytes)
                return
            }
            throw Self.damaged(
                "it has format \(form), and this version of Duramen reads \(Self.format)")
        } catch let error as ModelError {
            throw error
        } catch {
            throw Self.damaged("it is not the JSON of a model")
        }
    }

    static func damaged(_ reason: String) -> ModelError {
        ModelError(mistakes: [
            .init(
                .invalidArchive, entity: "",
                "the archive of the model cannot be read: \(reason); take another copy of it.")
        ])
    }
}
