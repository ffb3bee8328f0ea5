/// A reserved word of format strings, in upper case. A property with such a name is written with a
/// preceding `#`.
enum ReservedWord: String, CaseIterable {
    case and = "AND"
    case or = "OR"
    case isIn = "IN"
    case not = "NOT"
    case all = "ALL"
    case any = "ANY"
    case atLeastOne = "SOME"
    case notOne = "NONE"
    case like = "LIKE"
    case caseInsensitive = "CASEINSENSITIVE"
    case ci = "CI"
    case matches = "MATCHES"
    case contains = "CONTAINS"
    case beginsWith = "BEGINSWITH"
    case endsWith = "ENDSWITH"
    case between = "BETWEEN"
    case null = "NULL"
    case `nil` = "NIL"
    case selfObject = "SELF"
    case `true` = "TRUE"
    case yes = "YES"
    case `false` = "FALSE"
    case no = "NO"
    case first = "FIRST"
    case last = "LAST"
    case size = "SIZE"
    case anyKey = "ANYKEY"
    case subquery = "SUBQUERY"
    case fetch = "FETCH"
    case cast = "CAST"
    case truePredicate = "TRUEPREDICATE"
    case falsePredicate = "FALSEPREDICATE"
    case function = "FUNCTION"
    case ternary = "TERNARY"
    case union = "UNION"
    case intersect = "INTERSECT"
    case minus = "MINUS"

    /// The number of bytes of the longest word.
    private static let longest = 16

    /// Up to sixteen bytes in upper case, as one number, so that a lookup creates no string.
    private typealias Key = UInt128

    private static let words: [Key: ReservedWord] = Dictionary(
        uniqueKeysWithValues: allCases.map { (key($0.rawValue.utf8), $0) })

    /// Finds a word by its bytes, ignoring case.
    init?(utf8: some Collection<UInt8>) {
        guard utf8.count <= Self.longest, let word = Self.words[Self.key(utf8)] else { return nil }
        self = word
    }

    /// Finds a word, ignoring case.
    init?(_ name: String) { self.init(utf8: name.utf8) }

    private static func key(_ utf8: some Collection<UInt8>) -> Key {
        var key: Key = 0
        for byte in utf8 {
            key = key << 8 | Key(byte &- UInt8(ascii: "a") < 26 ? byte & 0xDF : byte)
        }
        return key
    }
}
