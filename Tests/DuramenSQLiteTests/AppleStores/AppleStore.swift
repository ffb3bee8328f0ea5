import DuramenModel
import DuramenSQLite
import DuramenStore
import DuramenTestKit
import Foundation
import StoreTestSupport
import Testing

/// A file as Core Data makes it, written by plain SQL.
struct AppleStore {
    let path: String

    /// - Parameters:
    ///   - entities: Names with the number of the parent, numbered from 1 in this order.
    ///   - tables: Statements that make and fill the tables of the entities.
    init(
        _ path: String, entities: [(name: String, parent: Int)], cache: [UInt8]?,
        _ tables: [String] = []
    ) throws {
        self.path = path
        let list = try PropertyListSerialization.data(
            fromPropertyList: [
                "NSStoreType": "SQLite", "NSPersistenceFrameworkVersion": 1_344,
                "NSStoreModelVersionIdentifiers": ["v1"], "com.example.note": "kept",
            ] as [String: Any], format: .binary, options: 0)
        var statements = [
            "CREATE TABLE Z_PRIMARYKEY (Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR, "
                + "Z_SUPER INTEGER, Z_MAX INTEGER)",
            "CREATE TABLE Z_METADATA (Z_VERSION INTEGER PRIMARY KEY, Z_UUID VARCHAR(255), "
                + "Z_PLIST BLOB)",
            "INSERT INTO Z_METADATA VALUES (1, '\(UUID().uuidString)', \(Self.blob(Array(list))))",
        ]
        for (place, entity) in entities.enumerated() {
            statements.append(
                "INSERT INTO Z_PRIMARYKEY VALUES (\(place + 1), '\(entity.name)', "
                    + "\(entity.parent), 0)")
        }
        if let cache {
            statements.append("CREATE TABLE Z_MODELCACHE (Z_CONTENT BLOB)")
            statements.append("INSERT INTO Z_MODELCACHE VALUES (\(Self.blob(cache)))")
        }
        try RawDatabase.run(path, (statements + tables).joined(separator: ";"))
    }

    static func blob(_ bytes: [UInt8]) -> String {
        "X'" + bytes.map { String(format: "%02X", $0) }.joined() + "'"
    }

    var description: PersistentStoreDescription { .sqlite(path).readOnly() }

    func storedModel() throws -> StoredModel { try SQLiteStoreType().storedModel(of: description) }

    /// Opens the store with its own model.
    func open() throws -> any PersistentStore { try description.open(model: storedModel().model) }
}

/// Reads the model of a file whose cache was damaged, again and again: with an error or without,
/// but alive.
func damageCache(of path: String, packed: [UInt8], times: Int) throws {
    let seed = UInt64.random(in: 0...UInt64.max)
    var random = SplitMix64(seed: seed)
    let description = PersistentStoreDescription.sqlite(path).readOnly()
    for round in 0..<times {
        var bytes = packed
        for _ in 0...Int.random(in: 0...3, using: &random) {
            let place = Int.random(in: bytes.indices, using: &random)
            switch Int.random(in: 0...2, using: &random) {
            case 0: bytes[place] ^= 1 << UInt8.random(in: 0...7, using: &random)
            case 1: bytes[place] = UInt8.random(in: 0...255, using: &random)
            default: bytes.removeLast(min(bytes.count - 1, place / 8))
            }
        }
        try RawDatabase.run(path, "UPDATE Z_MODELCACHE SET Z_CONTENT = \(AppleStore.blob(bytes))")
        let failure = storeErrorCode { try SQLiteStoreType().storedModel(of: description) }
        #expect(
            [nil, .damagedFile, .unsupported].contains(failure), "seed \(seed), round \(round)")
    }
}
