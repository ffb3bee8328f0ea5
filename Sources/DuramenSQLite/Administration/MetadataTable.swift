import CSQLite
import DuramenModel
import DuramenSQL
import DuramenStore
import Foundation

/// The row of `Z_METADATA`: the store's identity, and a property list with Core Data's keys and one
/// of Duramen.
struct MetadataTable {
    /// The version of Duramen's additions to Core Data's layout. Version 2: transformable values of
    /// Duramen's stores may be keyed archives, and a constraint need not be enforced. Version 3:
    /// parts of a history may be of another model. Version 4: tables of pairs may have Core Data's
    /// names.
    static let formatVersion = 4
    /// The first format whose version hashes include uniqueness constraints with to-ones.
    static let firstFormatWithReferences = 2
    /// The first format without Duramen's hashes under Core Data's keys.
    static let firstFormatWithoutHashes = 4
    private static let formatKey = "DuramenFormat"
    private static let pairNamingKey = "pairNaming"

    let connection: Connection

    // MARK: - Reading

    /// Returns the identity and the property list; the list is empty if it is missing.
    func read() throws(StoreError) -> (uuid: UUID, list: [String: Any]) {
        let statement = try connection.prepare("SELECT Z_UUID, Z_PLIST FROM Z_METADATA LIMIT 1")
        connection.begin(statement)
        defer { connection.end(statement) }
        let result = statement.step()
        guard result == SQLITE_ROW else {
            if result == SQLITE_DONE { throw foreign("its Z_METADATA has no row") }
            throw connection.error(result, "read the metadata of")
        }
        guard let text = sqlite3_column_text(statement.handle, 0),
            let uuid = UUID(uuidString: String(cString: text))
        else { throw foreign("its Z_UUID is not a UUID") }
        var list: [String: Any] = [:]
        if let bytes = sqlite3_column_blob(statement.handle, 1) {
            let data = Data(bytes: bytes, count: Int(sqlite3_column_bytes(statement.handle, 1)))
            let value = try? PropertyListSerialization.propertyList(from: data, format: nil)
            guard let found = value as? [String: Any] else {
                throw StoreError(
                    .damagedFile,
                    "The metadata of '\(connection.path)' is not a property list. Restore a copy.")
            }
            list = found
        }
        return (uuid, list)
    }

    private func foreign(_ reason: String) -> StoreError {
        StoreError(
            .foreignFile,
            "'\(connection.path)' is not a store of this kind: \(reason). Name another.")
    }

    /// Returns the metadata of the store.
    func metadata() throws(StoreError) -> StoreMetadata {
        let (uuid, list) = try read()
        let own = list[Self.formatKey] as? [String: Any] ?? [:]
        var hashes = own["entityVersionHashes"] as? [String: String] ?? [:]
        if hashes.isEmpty {
            for (name, hash) in list["NSStoreModelVersionHashes"] as? [String: Data] ?? [:] {
                hashes[name] = hash.base64EncodedString()
            }
        }
        var metadata = StoreMetadata(
            storeUUID: uuid, storeType: "sqlite",
            modelChecksum: own["modelChecksum"] as? String ?? "", entityVersionHashes: hashes,
            modelVersionIdentifiers: list["NSStoreModelVersionIdentifiers"] as? [String] ?? [],
            userInfo: Self.userInfo(in: own))
        metadata.migrations = try MigrationTable(connection: connection).entries().map(\.record)
        return metadata
    }

    /// The version of Duramen's additions; nil when Duramen has not written the file.
    func formatVersion() throws(StoreError) -> Int? {
        let own = try read().list[Self.formatKey] as? [String: Any]
        return own.map { $0["version"] as? Int ?? Int.max }
    }

    /// The rule for the names of pair tables.
    func pairNaming() throws(StoreError) -> PairNaming {
        // Core Data's own files do not record it.
        guard let own = try read().list[Self.formatKey] as? [String: Any],
            own["isAdopted"] as? Bool != true
        else { return .byName }
        let rule = own[Self.pairNamingKey] as? Int
        return rule.flatMap(PairNaming.init(rawValue:)) ?? .byNumber
    }

    // MARK: - Writing

    /// Creates the row of a new store.
    func create(
        uuid: UUID, model: ManagedObjectModel, _ hashes: AppleVersionHashes?
    ) throws(StoreError) {
        var list: [String: Any] = [
            "NSStoreType": "SQLite", "NSStoreModelVersionHashesVersion": 3,
            "NSPersistenceFrameworkVersion": 1_345, "_NSAutoVacuumLevel": "2",
        ]
        var own: [String: Any] = [:]
        Self.stamp(&own, model: model)
        own[Self.pairNamingKey] = PairNaming.byName.rawValue
        list[Self.formatKey] = own
        try stampAsCoreData(&list, model: model, hashes)
        let statement = try connection.prepare(
            "INSERT INTO Z_METADATA (Z_VERSION, Z_UUID, Z_PLIST) VALUES (1, ?, ?)")
        statement.bind(.text(StoredText(uuid.uuidString)), at: 1)
        statement.bind(.bytes(try encoded(list)), at: 2)
        try connection.run(statement, "create")
    }

    /// Records that a file of Core Data now has Duramen's tables.
    func adopt(model: ManagedObjectModel) throws(StoreError) {
        var list = try read().list
        var own = list[Self.formatKey] as? [String: Any] ?? [:]
        Self.stamp(&own, model: model)
        own["isAdopted"] = true
        list[Self.formatKey] = own
        try write(list)
    }

    /// Records the current format and model, so that older versions which cannot read it reject the
    /// file.
    func raiseFormat(_ model: ManagedObjectModel) throws(StoreError) {
        var list = try read().list
        guard var own = list[Self.formatKey] as? [String: Any],
            own["version"] as? Int != Self.formatVersion
        else { return }
        Self.stamp(&own, model: model)
        list[Self.formatKey] = own
        // Earlier formats stored Duramen's hashes under Core Data's keys.
        if own["isAdopted"] as? Bool != true {
            for key in Self.hashKeys { list[key] = nil }
        }
        try write(list)
    }

    private static let hashKeys = [
        "NSStoreModelVersionHashes", "NSStoreModelVersionHashesDigest",
        "NSStoreModelVersionChecksumKey",
    ]

    /// Whether given Core Data hashes differ from the stored ones.
    func lacks(_ hashes: AppleVersionHashes?) throws(StoreError) -> Bool {
        guard let hashes else { return false }
        return try read().list[Self.hashKeys[0]] as? [String: Data] != hashes.entities
    }

    /// Records the identifiers of the model, which may change without a new version.
    ///
    /// - Parameters:
    ///   - model: The model.
    ///   - hashes: Core Data's hashes; nil keeps the stored ones.
    func noteIdentifiers(
        of model: ManagedObjectModel, _ hashes: AppleVersionHashes?
    ) throws(StoreError) {
        var list = try read().list
        if hashes != nil {
            try stampAsCoreData(&list, model: model, hashes)
        } else {
            list["NSStoreModelVersionIdentifiers"] = model.versionIdentifiers
        }
        try write(list)
    }

    /// Records that the file now has another version of its model.
    func migrate(
        to model: ManagedObjectModel, _ hashes: AppleVersionHashes?
    ) throws(StoreError) {
        var list = try read().list
        var own = list[Self.formatKey] as? [String: Any] ?? [:]
        Self.stamp(&own, model: model)
        own[Self.pairNamingKey] = PairNaming.byName.rawValue
        list[Self.formatKey] = own
        try stampAsCoreData(&list, model: model, hashes)
        try write(list)
    }

    /// Keeps the entries of an earlier list that an application has set through Core Data.
    func keepEntries(of earlier: [String: Any]) throws(StoreError) {
        var list = try read().list
        for (name, value) in earlier
        where list[name] == nil && !name.hasPrefix("NS") && !name.hasPrefix("_NS") {
            list[name] = value
        }
        try write(list)
    }

    /// Whether Core Data created the file.
    func isAdopted() throws(StoreError) -> Bool {
        let own = try read().list[Self.formatKey] as? [String: Any]
        return own == nil || own?["isAdopted"] as? Bool == true
    }

    /// Sets entries of the application; null removes an entry.
    func merge(_ entries: [String: StoredValue]) throws(StoreError) {
        try changeUserInfo { userInfo in
            for (name, value) in entries { userInfo[name] = value.isNull ? nil : value }
        }
    }

    /// Replaces all entries of the application.
    func replaceUserInfo(_ entries: [String: StoredValue]) throws(StoreError) {
        try changeUserInfo { $0 = entries.filter { !$0.value.isNull } }
    }

    private func changeUserInfo(
        _ change: (inout [String: StoredValue]) -> Void
    ) throws(StoreError) {
        var list = try read().list
        var own = list[Self.formatKey] as? [String: Any] ?? [:]
        var userInfo = Self.userInfo(in: own)
        change(&userInfo)
        own["userInfo"] = userInfo.mapValues(TypedValue.encode)
        list[Self.formatKey] = own
        try write(list)
    }

    private static func stamp(_ own: inout [String: Any], model: ManagedObjectModel) {
        own["version"] = formatVersion
        own["modelChecksum"] = model.versionChecksum
        own["entityVersionHashes"] = model.entityVersionHashes
    }

    /// - Parameters:
    ///   - list: The property list to change.
    ///   - model: The model.
    ///   - hashes: Core Data's hashes; nil if there are none.
    private func stampAsCoreData(
        _ list: inout [String: Any], model: ManagedObjectModel, _ hashes: AppleVersionHashes?
    ) throws(StoreError) {
        try Self.check(hashes, are: model, path: connection.path)
        list["NSStoreModelVersionHashes"] = hashes?.entities
        list["NSStoreModelVersionHashesDigest"] = hashes?.digest
        list["NSStoreModelVersionChecksumKey"] = hashes?.checksum
        list["NSStoreModelVersionIdentifiers"] = model.versionIdentifiers
    }

    /// - Throws: `.invalidRequest` for hashes that do not fit a model.
    static func check(
        _ hashes: AppleVersionHashes?, are model: ManagedObjectModel, path: String
    ) throws(StoreError) {
        if let mistake = hashes?.mistake(in: model) {
            throw StoreError(
                .invalidRequest,
                "The Core Data hashes for '\(path)' are not those of its model: \(mistake).")
        }
    }

    private func write(_ list: [String: Any]) throws(StoreError) {
        let statement = try connection.prepare("UPDATE Z_METADATA SET Z_PLIST = ?")
        statement.bind(.bytes(try encoded(list)), at: 1)
        try connection.run(statement, "write the metadata of")
    }

    private func encoded(_ list: [String: Any]) throws(StoreError) -> [UInt8] {
        do {
            return Array(
                try PropertyListSerialization.data(
                    fromPropertyList: list, format: .binary, options: 0))
        } catch {
            throw StoreError(
                .invalidRequest, "The metadata of '\(connection.path)' cannot be written.",
                detail: "\(error)")
        }
    }

    private static func userInfo(in own: [String: Any]) -> [String: StoredValue] {
        (own["userInfo"] as? [String: Any] ?? [:]).compactMapValues(TypedValue.decode)
    }
}

/// Stored values in property lists: a letter for the type, and bytes or text, without loss.
enum TypedValue {
    static func encode(_ value: StoredValue) -> [String: Any] {
        switch value {
        case .null: ["t": "n"]
        case .integer(let number): ["t": "i", "v": String(number)]
        case .double(let number): ["t": "f", "v": String(number.bitPattern)]
        case .decimal(let number): ["t": "d", "v": DecimalDigits.digits(of: number)]
        case .text(let text): ["t": "s", "v": text.withUTF8 { Data($0) }]
        case .boolean(let flag): ["t": "b", "v": flag ? "1" : "0"]
        case .date(let date):
            ["t": "t", "v": String(date.timeIntervalSinceReferenceDate.bitPattern)]
        case .binary(let data): ["t": "x", "v": data]
        case .uuid(let identifier): ["t": "u", "v": identifier.uuidString]
        case .uri(let text): ["t": "r", "v": text.withUTF8 { Data($0) }]
        case .objectID(let id): ["t": "o", "v": id.uriRepresentation.absoluteString]
        }
    }

    static func decode(_ entry: Any) -> StoredValue? {
        guard let entry = entry as? [String: Any], let type = entry["t"] as? String else {
            return nil
        }
        let words = entry["v"] as? String ?? ""
        let data = entry["v"] as? Data ?? Data()
        switch type {
        case "i": return Int64(words).map { .integer($0) }
        case "f": return UInt64(words).map { .double(Double(bitPattern: $0)) }
        case "d":
            return Decimal(string: words, locale: DecimalDigits.locale).map { .decimal($0) }
        case "s": return .text(data.withUnsafeBytes { StoredText(utf8: $0) })
        case "b": return .boolean(words == "1")
        case "t":
            return UInt64(words).map {
                .date(Date(timeIntervalSinceReferenceDate: Double(bitPattern: $0)))
            }
        case "x": return .binary(data)
        case "u": return UUID(uuidString: words).map { .uuid($0) }
        case "r": return .uri(data.withUnsafeBytes { StoredText(utf8: $0) })
        case "o":
            return URL(string: words).flatMap(ManagedObjectID.init(uri:)).map { .objectID($0) }
        default: return nil
        }
    }
}
