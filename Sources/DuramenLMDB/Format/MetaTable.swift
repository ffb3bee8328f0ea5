import DuramenFileStore
import DuramenModel
import DuramenStore
import Foundation

/// The records of the table `meta`: information about the store, each with its checksum.
struct MetaTable {
    /// The format that this version writes; it also reads earlier ones. Version 2: the newest saves
    /// are in the main table. Version 3: transformable values may be keyed archives, and a
    /// constraint need not be enforced. Version 4: rows may be of earlier versions of the model.
    static let formatVersion = 4
    /// The first format whose version hashes include uniqueness constraints with to-ones.
    static let firstFormatWithReferences = 3

    let transaction: Transaction
    let table: Table

    /// The identity of the store, and the model that it was written with.
    struct Identity: Codable {
        var format = MetaTable.formatVersion
        /// Rows have the byte order of the machine that wrote them.
        var isLittleEndian = MetaTable.isLittleEndian
        var storeUUID: UUID
        var modelChecksum: String
        var entityVersionHashes: [String: String]
        var modelVersionIdentifiers: [String]
    }

    static let isLittleEndian = Int(littleEndian: 1) == 1

    private enum Key {
        static let identity = Array("identity".utf8)
        static let catalog = Array("catalog".utf8)
        static let indexes = Array("indexes".utf8)
        static let migrations = Array("migrations".utf8)
        static let userInfo = Array("userInfo.".utf8)
        static let models = Array("model.".utf8)
        static let numbers = Array("keys.".utf8)
        static let single = [identity, catalog, indexes, migrations]
        static func model(_ checksum: String) -> [UInt8] { models + Array(checksum.utf8) }
        static func keys(_ root: Int) -> [UInt8] { numbers + Array("\(root)".utf8) }
    }

    // MARK: - Records

    func identity() throws(StoreError) -> Identity? { try decoded(Key.identity) }
    func catalog() throws(StoreError) -> Catalog? { try decoded(Key.catalog) }

    func set(_ identity: Identity) throws(StoreError) { try encode(identity, Key.identity) }
    func set(_ catalog: Catalog) throws(StoreError) { try encode(catalog, Key.catalog) }
    func set(_ list: IndexList) throws(StoreError) { try encode(list, Key.indexes) }

    /// The migrations of the store.
    func migrations() throws(StoreError) -> [StoreMigrationRecord] {
        try decoded(Key.migrations) ?? []
    }

    func add(_ record: StoreMigrationRecord) throws(StoreError) {
        try encode(try migrations() + [record], Key.migrations)
    }

    /// Returns the archive of the version with a checksum; nil for none.
    func modelArchive(of checksum: String) throws(StoreError) -> Data? {
        try payload(Key.model(checksum)).map { Data($0) }
    }

    /// Saves a model, unless exactly this model is saved, including rules, defaults and user info,
    /// which the checksum does not cover.
    func keep(_ model: ManagedObjectModel) throws(StoreError) {
        let archive = Array(model.archived())
        // A damaged archive counts as missing.
        if (try? modelArchive(of: model.versionChecksum)) == Data(archive) { return }
        try archive.withBytes { (archive) throws(StoreError) in
            try put(archive, Key.model(model.versionChecksum))
        }
    }

    /// The bytes of the list of indexes, for comparison with earlier ones.
    func indexListBytes() throws(StoreError) -> UnsafeRawBufferPointer? {
        try payload(Key.indexes)
    }

    /// Whether the list of indexes has these bytes.
    func isIndexList(_ bytes: [UInt8]) throws(StoreError) -> Bool {
        guard let found = try indexListBytes() else { return false }
        return bytes.withUnsafeBytes { StoredText.compare(found, $0) == 0 }
    }

    func indexList() throws(StoreError) -> IndexList {
        try decoded(Key.indexes) ?? IndexList()
    }

    /// The first key of a root entity that was never leased.
    func nextKey(root: Int) throws(StoreError) -> Int64 { try number(Key.keys(root)) ?? 1 }
    func setNextKey(_ key: Int64, root: Int) throws(StoreError) { try set(key, Key.keys(root)) }

    /// Checks every record.
    ///
    /// - Throws: `.damagedFile` when a record is damaged, or has an unknown name.
    func checkAll() throws(StoreError) {
        try check(skipsModels: false)
        _ = try metadata()
        _ = try indexList()
        if try catalog() == nil { throw damaged("catalog") }
    }

    /// Checks that every record has the name under which it was written. Models are left out,
    /// since a damaged one counts as missing.
    ///
    /// - Throws: `.damagedFile`
    func checkNames() throws(StoreError) { try check(skipsModels: true) }

    private func check(skipsModels: Bool) throws(StoreError) {
        let cursor = try transaction.cursor(table)
        var record = try cursor.first()
        while let found = record {
            let isModel = found.key.starts(with: Key.models)
            if !(isModel && skipsModels) { _ = try checked(found.value, found.key) }
            let isKnown =
                isModel || Key.single.contains(Array(found.key))
                || found.key.starts(with: Key.userInfo) || found.key.starts(with: Key.numbers)
            if !isKnown { throw damaged(found.key) }
            record = try cursor.next()
        }
    }

    // MARK: - Metadata

    func metadata() throws(StoreError) -> StoreMetadata {
        guard let identity = try identity() else { throw damaged("identity") }
        var metadata = StoreMetadata(
            storeUUID: identity.storeUUID, storeType: LMDBStoreType.typeName,
            modelChecksum: identity.modelChecksum,
            entityVersionHashes: identity.entityVersionHashes,
            modelVersionIdentifiers: identity.modelVersionIdentifiers)
        try forEachUserInfo { (name, value) throws(StoreError) in
            metadata.userInfo[name] = value
        }
        metadata.migrations = try migrations()
        return metadata
    }

    /// Sets entries of the application; null removes an entry.
    func merge(_ userInfo: [String: StoredValue]) throws(StoreError) {
        for (name, value) in userInfo {
            let key = Key.userInfo + Array(name.utf8)
            if key.count > KeyBuilder.engineLimit {
                throw StoreError(
                    .tooLarge,
                    "A metadata entry's name has \(name.utf8.count) bytes; an LMDB store takes "
                        + "\(KeyBuilder.engineLimit - Key.userInfo.count).")
            }
            if value.isNull {
                try key.withBytes { (key) throws(StoreError) in
                    _ = try transaction.remove(key, from: table)
                }
            } else {
                try encode(value, key)
            }
        }
    }

    /// Replaces all entries of the application.
    func replaceUserInfo(_ userInfo: [String: StoredValue]) throws(StoreError) {
        var changes = userInfo
        try forEachUserInfo { (name, _) throws(StoreError) in
            if changes[name] == nil { changes[name] = .null }
        }
        try merge(changes)
    }

    private func forEachUserInfo(
        _ body: (String, StoredValue) throws(StoreError) -> Void
    ) throws(StoreError) {
        let cursor = try transaction.cursor(table)
        var record = try Key.userInfo.withBytes { (key) throws(StoreError) in
            try cursor.seek(key)
        }
        while let found = record, found.key.starts(with: Key.userInfo) {
            let name = String(decoding: found.key.dropFirst(Key.userInfo.count), as: UTF8.self)
            try body(name, try decode(try checked(found.value, found.key), name))
            record = try cursor.next()
        }
    }

    // MARK: - Bytes

    private func payload(_ key: [UInt8]) throws(StoreError) -> UnsafeRawBufferPointer? {
        try key.withBytes { (key) throws(StoreError) -> UnsafeRawBufferPointer? in
            guard let record = try transaction.value(of: key, in: table) else { return nil }
            return try checked(record, key)
        }
    }

    /// The bytes after the checksum of key and bytes.
    private func checked(
        _ record: UnsafeRawBufferPointer, _ key: UnsafeRawBufferPointer
    ) throws(StoreError) -> UnsafeRawBufferPointer {
        guard record.count >= 4 else { throw damaged(key) }
        let payload = UnsafeRawBufferPointer(rebasing: record[4...])
        guard record.loadUnaligned(as: UInt32.self) == Checksum.of(key, then: payload) else {
            throw damaged(key)
        }
        return payload
    }

    private func put(_ payload: UnsafeRawBufferPointer, _ key: [UInt8]) throws(StoreError) {
        try key.withBytes { (key) throws(StoreError) in
            var record = [UInt8](repeating: 0, count: 4 + payload.count)
            let sum = Checksum.of(key, then: payload)
            record.withUnsafeMutableBytes { record in
                record.storeBytes(of: sum, as: UInt32.self)
                UnsafeMutableRawBufferPointer(rebasing: record[4...]).copyMemory(from: payload)
            }
            try record.withBytes { (record) throws(StoreError) in
                try transaction.put(record, for: key, in: table)
            }
        }
    }

    private func number(_ key: [UInt8]) throws(StoreError) -> Int64? {
        guard let payload = try payload(key) else { return nil }
        guard payload.count == 8 else { throw damaged("number") }
        return payload.loadUnaligned(as: Int64.self)
    }

    private func set(_ number: Int64, _ key: [UInt8]) throws(StoreError) {
        var number = number
        let bytes = withUnsafeBytes(of: &number) { Array($0) }
        try bytes.withBytes { (bytes) throws(StoreError) in try put(bytes, key) }
    }

    private func decoded<Value: Decodable>(_ key: [UInt8]) throws(StoreError) -> Value? {
        guard let payload = try payload(key) else { return nil }
        return try decode(payload, String(decoding: key, as: UTF8.self))
    }

    private func decode<Value: Decodable>(
        _ payload: UnsafeRawBufferPointer, _ name: String
    ) throws(StoreError) -> Value {
        guard let value = StoredJSON.value(Value.self, of: payload) else { throw damaged(name) }
        return value
    }

    private func encode(_ value: some Encodable, _ key: [UInt8]) throws(StoreError) {
        try StoredJSON.bytes(of: value).withBytes { (bytes) throws(StoreError) in
            try put(bytes, key)
        }
    }

    private func damaged(_ key: UnsafeRawBufferPointer) -> StoreError {
        damaged(String(decoding: key, as: UTF8.self))
    }

    private func damaged(_ name: String) -> StoreError {
        StoreError(
            .damagedFile,
            "The record '\(name)' of '\(transaction.environment.path)' is damaged; restore a copy.")
    }
}
