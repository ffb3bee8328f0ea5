/// The depth that a condition requires of SQLite's parser.
///
/// SQLite's parser has a stack of 100 places (`YYSTACKDEPTH`, sqlite.org/compile.html). Each
/// parenthesis with the operator before it, each call and each subselect waits there for its end. A
/// parenthesis takes 1 place, a NOT 1, another operator with its left side 4. A call takes 3, a
/// previous argument 2, a CASE 5, a subselect 7, and the enclosing statement 8.
struct StatementDepth {
    private struct Level {
        /// The places that the level itself takes.
        var own: Int
        /// The places of operators that wait for their right side.
        var waiting = 0
        var cases = 0
    }

    /// The largest number of places of a condition.
    ///
    /// The rest is for the enclosing statement, and for combining conditions.
    static let maximum = 84

    /// The largest number of places that wait at once, or a little more.
    static func places(_ text: String) -> Int {
        var levels = [Level(own: 8)]
        var deepest = 0
        var word: [UInt8] = []
        var isQuoted: UInt8?
        for byte in text.utf8 {
            if let quote = isQuoted {
                if byte == quote { isQuoted = nil }
                continue
            }
            if isLetter(byte) {
                word.append(byte)
                continue
            }
            let isCall = note(word, &levels)
            word.removeAll(keepingCapacity: true)
            let last = levels.count - 1
            switch byte {
            case UInt8(ascii: "'"), UInt8(ascii: "\""): isQuoted = byte
            case UInt8(ascii: "("):
                levels.append(Level(own: isCall ? 3 : 1))
                deepest = max(deepest, levels.reduce(0) { $0 + $1.own + $1.waiting })
            case UInt8(ascii: ")"): if last > 0 { levels.removeLast() }
            case UInt8(ascii: ","): levels[last].waiting = 2
            case UInt8(ascii: "="), UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "+"),
                UInt8(ascii: "-"), UInt8(ascii: "*"), UInt8(ascii: "/"):
                levels[last].waiting = max(levels[last].waiting, 4)
            default: break
            }
        }
        return deepest
    }

    /// - Returns: Whether a parenthesis after the word starts the arguments of a call.
    private static func note(_ word: [UInt8], _ levels: inout [Level]) -> Bool {
        if word.isEmpty { return false }
        let last = levels.count - 1
        switch String(decoding: word, as: UTF8.self) {
        case "SELECT": levels[last].own += 7
        case "AND", "OR", "IN", "IS": levels[last].waiting = max(levels[last].waiting, 4)
        case "NOT": levels[last].waiting += levels[last].waiting % 2 == 0 ? 1 : 0
        case "CASE":
            levels[last].cases += 1
            levels[last].own += 5
        case "END" where levels[last].cases > 0:
            levels[last].cases -= 1
            levels[last].own -= 5
        case "WHERE", "ON", "WHEN", "THEN", "ELSE", "EXISTS", "FROM", "JOIN", "AS": break
        default: return true
        }
        return false
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "_") || UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte
            || UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte | 0x20
    }
}
