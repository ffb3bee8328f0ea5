import DuramenModel
import DuramenStore
import Foundation

/// What the file of a store says, as it is written.
///
/// ```
/// { "header":  { "format": "duramen-json", "generation": 2, … },
///   "objects": { "Book/1": { "values": { "author": "Author/1", "year": 1969 }, "version": 2 } },
///   "pairs":   { "Book.genres": { "Book/1": [ "Genre/1" ] } } }
/// ```
/// It needs no model to be read: administration works on it as it is.
struct JSONDocument: Codable, Sendable {
    var header: JSONHeader
    /// The stored objects, by their names, such as `Book/1`.
    var objects: [String: JSONObject] = [:]
    /// The pairs of each many-to-many relationship, kept once, under the side that the model has
    /// first.
    var pairs: [String: [String: [String]]] = [:]
    /// The numbers of pairs in ordered relationships, by relationship, source and destination; nil
    /// for none.
    var orders: [String: [String: [String: Int64]]]?
}

/// What a store says about itself.
struct JSONHeader: Codable, Sendable {
    var format = Self.formatName
    var formatVersion = Self.formatVersion
    /// The store's identity, part of every object URI.
    var identity: UUID
    var modelChecksum: String
    var entityVersionHashes: [String: String]
    var modelVersionIdentifiers: [String]
    /// The archive of the model; nil in files of format 1.
    var model: String?
    /// The number of the last save; also the version of the rows that it wrote.
    var generation: Int64 = 0
    /// The first key never used of each hierarchy, by the name of its root.
    var nextKeys: [String: Int64]
    /// The generation that each of the last saves made, by its identifier.
    var saves: [String: Int64] = [:]
    /// Every change of the model.
    var migrations: [StoreMigrationRecord]?
    /// The application's entries. They have no attribute in the model, so they name their own
    /// types.
    var userInfo: [String: StoredValue] = [:]
}

/// One stored object: the version, and the values that are not null.
struct JSONObject: Codable, Sendable {
    var version: Int64
    var values: [String: JSONValue]
}

extension ManagedObjectModel {
    /// The model as the file keeps it.
    var archive: String { String(decoding: archived(), as: UTF8.self) }
}

extension JSONHeader {
    static let formatName = "duramen-json"
    static let formatVersion = 2
    /// Above every number of a save or key, so that adding to one cannot overflow.
    static let limit: Int64 = 1 << 62
    private static let rememberedSaves = 1_024

    var isInLimits: Bool {
        ([generation] + nextKeys.values + saves.values).allSatisfy((0..<Self.limit).contains)
    }

    /// The header of a new store.
    init(model: ManagedObjectModel) {
        self.init(
            identity: UUID(), modelChecksum: model.versionChecksum,
            entityVersionHashes: model.entityVersionHashes,
            modelVersionIdentifiers: model.versionIdentifiers, model: model.archive,
            nextKeys: Dictionary(
                uniqueKeysWithValues: Set(model.entities.map(\.root)).map { (model[$0].name, 1) }))
    }

    var metadata: StoreMetadata {
        var metadata = StoreMetadata(
            storeUUID: identity, storeType: JSONStoreType.typeName, modelChecksum: modelChecksum,
            entityVersionHashes: entityVersionHashes,
            modelVersionIdentifiers: modelVersionIdentifiers, userInfo: userInfo)
        metadata.migrations = migrations ?? []
        return metadata
    }

    /// Makes sure that a key which this store did not hand out is never handed out.
    mutating func keepClear(of key: Int64, root: String) {
        nextKeys[root] = max(nextKeys[root] ?? 1, key + 1)
    }

    /// Remembers a save, and forgets the oldest.
    mutating func remember(_ identifier: UUID) {
        saves[identifier.uuidString] = generation
        if saves.count > Self.rememberedSaves, let oldest = saves.min(by: { $0.value < $1.value }) {
            saves[oldest.key] = nil
        }
    }
}

// MARK: - Bytes

extension JSONDocument {
    private struct Envelope: Decodable {
        struct Header: Decodable {
            var format: String
            var formatVersion: Int
        }
        var header: Header
    }

    /// Reads a file's bytes.
    ///
    /// - Throws: `.damagedFile` for bytes that are not JSON or lack a part, `.foreignFile` for JSON
    ///   of other programs, `.newerFormat`.
    init(_ data: Data, path: String) throws(StoreError) {
        let decoder = JSONDecoder()
        decoder.nonConformingFloatDecodingStrategy = .convertFromString(
            positiveInfinity: "Infinity", negativeInfinity: "-Infinity", nan: "NaN")
        do {
            let envelope = try decoder.decode(Envelope.self, from: data).header
            if envelope.format != JSONHeader.formatName { throw Self.foreign(path) }
            if envelope.formatVersion > JSONHeader.formatVersion {
                throw StoreError(
                    .newerFormat,
                    "'\(path)' was written by a newer version of this store; update the program.")
            }
            self = try decoder.decode(JSONDocument.self, from: data)
        } catch let error as StoreError {
            throw error
        } catch DecodingError.keyNotFound(_, let context) where context.codingPath.count < 2 {
            throw Self.foreign(path)
        } catch {
            throw StoreError(
                .damagedFile, "'\(path)' cannot be read as a store; restore a copy.",
                detail: "\(error)")
        }
        if !header.isInLimits {
            throw StoreError(
                .damagedFile, "A number in the header of '\(path)' is too large; restore a copy.")
        }
    }

    private static func foreign(_ path: String) -> StoreError {
        StoreError(.foreignFile, "'\(path)' is no store of this kind; name another file.")
    }

    /// The file's bytes.
    ///
    /// - Throws: `.tooLarge` when no number is left for saves or keys.
    func data(path: String) throws(StoreError) -> Data {
        if !header.isInLimits {
            throw StoreError(
                .tooLarge, "'\(path)' has no number left for its saves or keys; begin a new store.")
        }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        encoder.nonConformingFloatEncodingStrategy = .convertToString(
            positiveInfinity: "Infinity", negativeInfinity: "-Infinity", nan: "NaN")
        do {
            return try encoder.encode(self)
        } catch {
            throw StoreError(
                .invalidRequest, "'\(path)' cannot hold a value of the save.", detail: "\(error)")
        }
    }
}
