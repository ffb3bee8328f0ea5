/// The statements that a connection has prepared.
struct PreparedStatements {
    private struct Entry {
        let name: String
        let types: [PostgresType]
        var lastUse: UInt64
    }

    private var entries: [Statement: Entry] = [:]
    private var names: Set<String> = []
    private var uses: UInt64 = 0

    /// How many statements a connection keeps.
    static let limit = 256

    /// The number of statements.
    var count: Int { entries.count }

    /// How a statement can be run.
    enum Readiness {
        /// By its name.
        case prepared(name: String)
        /// After it was prepared.
        case new
        /// Without a name: it is prepared for parameters of other types. The server knows the types
        /// of a parameter that the text does not mention only from the preparation.
        case otherTypes
    }

    /// Returns how a statement can be run with parameters, and counts as its use.
    mutating func use(_ statement: Statement, _ parameters: [Parameter]) -> Readiness {
        guard let index = entries.index(forKey: statement) else { return .new }
        let types = entries.values[index].types
        guard types.count == parameters.count,
            types.indices.allSatisfy({ types[$0] == parameters[$0].type })
        else { return .otherTypes }
        uses += 1
        entries.values[index].lastUse = uses
        return .prepared(name: entries.values[index].name)
    }

    /// Returns a name for a text that is not prepared.
    func newName(for text: String) -> String {
        var digest: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in text.utf8 { digest = (digest ^ UInt64(byte)) &* 0x100_0000_01B3 }
        // Two texts may have one digest, but not one name.
        while names.contains(Self.name(digest)) { digest &+= 1 }
        return Self.name(digest)
    }

    /// Remembers that a statement is prepared.
    mutating func add(_ statement: Statement, name: String, _ parameters: [Parameter]) {
        uses += 1
        entries[statement] = Entry(name: name, types: parameters.map(\.type), lastUse: uses)
        names.insert(name)
    }

    /// Forgets the statements beyond the limit that were not used for the longest time.
    ///
    /// - Returns: Their names.
    mutating func removeExcess() -> [String] {
        guard entries.count > Self.limit else { return [] }
        let byUse = entries.sorted { $0.value.lastUse < $1.value.lastUse }
        return byUse.prefix(entries.count - Self.limit).map { statement, entry in
            entries[statement] = nil
            names.remove(entry.name)
            return entry.name
        }
    }

    /// Forgets a statement whose preparation failed.
    mutating func remove(_ statement: Statement) {
        if let entry = entries.removeValue(forKey: statement) { names.remove(entry.name) }
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
