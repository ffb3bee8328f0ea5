import DuramenModel

/// Chooses the names of tables and columns: those of the model in snake case, unlike each other.
struct SchemaNaming {
    /// The engine cuts names at 63 bytes; the rest is for suffixes.
    private static let mostBytes = 55
    private static let digestCharacters = 8

    private var used: Set<StoredText>

    /// Starts without names, except for those that nobody may have.
    init(reserved: [String]) { used = Set(reserved.map { StoredText($0) }) }

    /// The names of a store's own tables and sequences.
    static func tables() -> SchemaNaming {
        SchemaNaming(
            reserved: OwnTable.allCases.map(\.rawValue) + OwnSequence.allCases.map(\.rawValue))
    }

    /// The names of columns that every table of objects has, or the engine itself.
    static func columns() -> SchemaNaming {
        SchemaNaming(reserved: [
            "id", "entity", "version", "a", "b", "a_order", "b_order", "tableoid", "xmin", "cmin",
            "xmax", "cmax", "ctid", "oid",
        ])
    }

    /// Returns a name that was not returned before.
    mutating func name(_ words: String, suffix: String = "") -> String {
        let base = Self.shortened(Self.snakeCase(words), suffix)
        var name = base
        var count = 1
        while !used.insert(StoredText(name)).inserted {
            count += 1
            name = "\(base)_\(count)"
        }
        return name
    }

    /// Records a name that a store has already.
    mutating func add(_ name: String) { used.insert(StoredText(name)) }

    private static func shortened(_ name: String, _ suffix: String) -> String {
        if name.utf8.count + suffix.utf8.count <= mostBytes { return name + suffix }
        let digest = String(digest(of: name).prefix(digestCharacters))
        var short = ""
        let most = mostBytes - suffix.utf8.count - digestCharacters - 1
        for character in name where short.utf8.count + character.utf8.count <= most {
            short.append(character)
        }
        return "\(short)_\(digest)\(suffix)"
    }

    /// The SHA-256 digest of a text in hexadecimal digits.
    static func digest(of text: String) -> String {
        let bytes = StoredText(text).withUTF8 { ContentHash.sha256(of: $0) }
        return bytes.map { byte in
            let digits = String(byte, radix: 16)
            return byte < 16 ? "0" + digits : digits
        }.joined()
    }

    /// Returns words in lower case with underscores: `publishedOn` becomes `published_on`.
    static func snakeCase(_ words: String) -> String {
        var result = ""
        var previous: Character = "_"
        let characters = Array(words)
        for (place, character) in characters.enumerated() {
            if character.isUppercase {
                let next = place + 1 < characters.count ? characters[place + 1] : "_"
                if previous.isLowercase || previous.isNumber
                    || (previous.isUppercase && next.isLowercase)
                {
                    result.append("_")
                }
                result += character.lowercased()
            } else if character == "." || character == " " || character == "-" {
                if result.last != "_" { result.append("_") }
            } else if character != "\0" {
                result.append(character)
            }
            previous = character
        }
        let trimmed = result.drop { $0 == "_" }
        return trimmed.isEmpty ? "_" : String(trimmed)
    }
}
