import DuramenModel

/// The statements that a connection has prepared, by their texts. Texts with names that only look
/// alike differ.
struct PreparedStatements {
    private struct Entry {
        let name: String
        let types: [PostgresType]
        var lastUse: UInt64
    }

    private var entries: [StoredText: Entry] = [:]
    private var names: Set<String> = []
    private var uses: UInt64 = 0

    /// How many statements a connection keeps.
    static let limit = 256

    /// The number of statements.
    var count: Int { entries.count }

    /// Returns the name under which a text is prepared, and counts as its use; nil if it is not.
    mutating func name(of text: String) -> String? {
        uses += 1
        guard let index = entries.index(forKey: StoredText(text)) else { return nil }
        entries.values[index].lastUse = uses
        return entries.values[index].name
    }

    /// Returns a name for a text that is not prepared.
    func newName(for text: String) -> String {
        var digest: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in text.utf8 { digest = (digest ^ UInt64(byte)) &* 0x100_0000_01B3 }
        // Two texts may have one digest, but not one name.
        while names.contains(Self.name(digest)) { digest &+= 1 }
        return Self.name(digest)
    }

    /// Whether a text is prepared for parameters of other types. The server knows the types of a
    /// parameter that the text does not mention only from the preparation.
    func hasOtherTypes(_ text: String, _ parameters: [Parameter]) -> Bool {
        guard let entry = entries[StoredText(text)] else { return false }
        return !entry.types.elementsEqual(parameters.lazy.map(\.type))
    }

    /// Remembers that a text is prepared.
    mutating func add(_ text: String, name: String, _ parameters: [Parameter]) {
        uses += 1
        entries[StoredText(text)] = Entry(name: name, types: parameters.map(\.type), lastUse: uses)
        names.insert(name)
    }

    /// Forgets the statements beyond the limit that were not used for the longest time.
    ///
    /// - Returns: Their names.
    mutating func removeExcess() -> [String] {
        guard entries.count > Self.limit else { return [] }
        let byUse = entries.sorted { $0.value.lastUse < $1.value.lastUse }
        return byUse.prefix(entries.count - Self.limit).map { text, entry in
            entries[text] = nil
            names.remove(entry.name)
            return entry.name
        }
    }

    /// Forgets a text whose preparation failed.
    mutating func remove(_ text: String) {
        if let entry = entries.removeValue(forKey: StoredText(text)) { names.remove(entry.name) }
    }

    /// Forgets all.
    mutating func removeAll() {
        entries.removeAll()
        names.removeAll()
    }

    private static func name(_ digest: UInt64) -> String {
        let digits = String(digest, radix: 16)
        return "d" + String(repeating: "0", count: 16 - digits.count) + digits
    }
}
