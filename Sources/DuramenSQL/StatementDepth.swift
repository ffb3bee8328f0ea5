/// How deep a condition makes an engine's parser go.
///
/// SQLite's parser has a stack of 100 places (`YYSTACKDEPTH`, sqlite.org/compile.html), and each
/// parenthesis, with the operator before it, each call and each subselect waits there for its end:
/// 1 place for a parenthesis, 1 for a NOT, 4 for another operator and what is to its left, 3 for a
/// call, 2 for an argument before, 5 for a CASE, 7 for a subselect, and 8 for the statement around.
struct StatementDepth {
    private struct Level {
        /// The places that the level takes itself.
        var own: Int
        /// Those of what waits on it for its right side.
        var waiting = 0
        var cases = 0
    }

    /// The most places that wait at once, or a little more.
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

    /// - Returns: Whether a parenthesis behind the word begins the arguments of a call.
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
