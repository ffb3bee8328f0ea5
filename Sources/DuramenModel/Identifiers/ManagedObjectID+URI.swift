public import Foundation

extension ManagedObjectID {
    /// The ID as text: `x-coredata://STORE/Entity/p7`, or `x-coredata:///Entity/t7` when temporary.
    public var uriRepresentation: URL {
        let place = store.uuid?.uuidString ?? ""
        let entity = entityName.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
        let number = isTemporaryID ? "t\(key.magnitude)" : "p\(key)"
        // The parts hold only characters that a URL allows, so parsing cannot fail.
        return URL(string: "x-coredata://\(place)/\(entity)/\(number)")!
    }

    /// Creates an ID from its ``uriRepresentation``. Returns nil if `uri` is not a managed object's
    /// URI, or if no model of this process has had its entity.
    public init?(uri: URL) {
        guard let parts = Self.parts(of: uri) else { return nil }
        // Interned names are never freed, so a name from outside must already be known.
        guard let handle = EntityHandle(knownName: parts.entity) else { return nil }
        guard let store = parts.store else {
            self.init(store: .none, entity: handle, key: -parts.key)
            return
        }
        self.init(store: StoreHandle(uuid: store), entity: handle, key: parts.key)
    }

    /// Returns the parts of a managed object's URI. The store is nil for a temporary ID.
    package static func parts(of uri: URL) -> (store: UUID?, entity: String, key: Int64)? {
        let prefix = "x-coredata://"
        let text = uri.absoluteString
        guard text.hasPrefix(prefix) else { return nil }
        let parts = text.dropFirst(prefix.count).split(
            separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 3, let entity = decodingPercents(parts[1]),
            !entity.isEmpty, let kind = parts[2].first, let key = Int64(parts[2].dropFirst()),
            key > 0, parts[2].dropFirst().first != "+"
        else { return nil }
        switch (kind, parts[0].isEmpty) {
        case ("t", true): return (nil, entity, key)
        case ("p", false):
            guard let store = UUID(uuidString: String(parts[0])) else { return nil }
            return (store, entity, key)
        default: return nil
        }
    }

    /// Decodes percent escapes; returns nil if an escape is incomplete or the text is not UTF-8.
    ///
    /// Foundation's `removingPercentEncoding` drops a byte order mark at the start of a name.
    private static func decodingPercents(_ text: Substring) -> String? {
        var bytes: [UInt8] = []
        var rest = text.utf8[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard let high = rest.popFirst(), let low = rest.popFirst(),
                let first = Character(UnicodeScalar(high)).hexDigitValue,
                let second = Character(UnicodeScalar(low)).hexDigitValue
            else { return nil }
            bytes.append(UInt8(first << 4 | second))
        }
        return String(validating: bytes, as: UTF8.self)
    }
}

extension ManagedObjectID: Codable {
    /// Decodes an ID from its URI.
    ///
    /// Create the model before decoding: the entities must be known.
    /// - Throws: `DecodingError` if the text is not the URI of an object of a known entity.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        guard let uri = URL(string: text), let id = ManagedObjectID(uri: uri) else {
            throw DecodingError.dataCorruptedError(
                in: container,
                debugDescription:
                    "'\(text)' is not the URI of a managed object whose entity is known. Make the "
                    + "model before decoding.")
        }
        self = id
    }

    /// Encodes the ID as its URI.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(uriRepresentation.absoluteString)
    }
}

extension ManagedObjectID: CustomStringConvertible {
    /// The entity and the key, as error messages print them: `Quake/p7`.
    public var description: String {
        "\(entityName)/\(isTemporaryID ? "t" : "p")\(key.magnitude)"
    }
}
