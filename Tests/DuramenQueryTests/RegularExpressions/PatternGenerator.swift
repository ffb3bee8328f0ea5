import Foundation

/// Makes small patterns, and texts over the few letters in them.
struct PatternGenerator {
    var random: SeededGenerator

    private mutating func pick(_ values: [String]) -> String {
        values.randomElement(using: &random) ?? ""
    }

    mutating func text() -> String {
        let pieces = [
            "a", "a", "b", "b", "c", "A", "1", " ", "\n", "\r", "\r\n", "_", "\u{E9}", "\u{301}",
        ]
        return (0..<Int.random(in: 0...6, using: &random)).map { _ in pick(pieces) }.joined()
    }

    mutating func pattern(_ depth: Int = 3) -> String {
        switch depth == 0 ? 0 : Int.random(in: 0...9, using: &random) {
        case 0, 1, 2: return atom()
        case 3, 4, 5: return pattern(depth - 1) + pattern(depth - 1)
        case 6: return "(?:\(pattern(depth - 1))|\(pattern(depth - 1)))"
        case 7:
            let head = pick([
                "(", "(?:", "(?s:", "(?m:", "(?i:", "(?x: ", "(?i-i:", "(?<n>", "(?s)(",
            ])
            return "\(head)\(pattern(depth - 1)))"
        default:
            let count = pick(["*", "+", "?", "{2}", "{1,2}", "{0,3}", "{1,}", "{2,}"])
            return "(?:\(pattern(depth - 1)))\(count)"
        }
    }

    private mutating func atom() -> String {
        switch Int.random(in: 0...11, using: &random) {
        case 0: return pick(["^", "$", "\\A", "\\Z", "\\z", "\\b", "\\B"])
        case 1: return pick([".", ".*", ".+?", "\\R", "\\v", "\\h"])
        case 2: return pick(["\\w", "\\W", "\\d", "\\D", "\\s", "\\S", "\\p{Lu}", "\\P{L}"])
        case 3: return characterClass(2) + pick(["", "", "*", "+?"])
        case 4: return pick(["\\n", "\\r", "\u{E9}", "\u{301}", "\\x{E9}", "\\Qa\\E", "(?#a)"])
        default: return pick(["a", "b", "c", "a*", "b?", "a+", "c??", "b*?", "a{2}", "ab"])
        }
    }

    mutating func characterClass(_ depth: Int) -> String {
        let items = (0..<Int.random(in: 1...4, using: &random)).map { _ in classItem(depth) }
        return pick(["[", "[", "[^"]) + items.joined() + "]"
    }

    private mutating func classItem(_ depth: Int) -> String {
        switch Int.random(in: 0...(depth > 0 ? 8 : 5), using: &random) {
        case 0, 1, 2: pick(["a", "b", "c", "1", "_", "\u{E9}", "\\n"])
        case 3: pick(["a-b", "b-c", "A-Z", "a-\u{E9}", "0-9"])
        case 4: pick(["\\w", "\\d", "\\s", "\\W", "\\p{Ll}", "[:alpha:]"])
        case 5: pick(["-", "&", "^", ""])
        case 6: pick(["&&", "--", "&", "-"]) + characterClass(depth - 1)
        case 7: pick(["&&", "--"]) + pick(["a", "b-c", "\\w", "\\d"])
        default: characterClass(depth - 1)
        }
    }
}

/// What ICU says, through Foundation.
enum ICU {
    /// An expression for whole texts; nil when the pattern is an error.
    static func expression(_ pattern: String) -> NSRegularExpression? {
        try? NSRegularExpression(pattern: "\\A(?:\(pattern))\\z")
    }

    static func matches(_ expression: NSRegularExpression, _ text: String) -> Bool {
        let whole = NSRange(location: 0, length: text.utf16.count)
        return expression.firstMatch(in: text, range: whole) != nil
    }
}

enum Scalars {
    /// Those below the ideographs, and the first beyond 16 bits, that have been assigned for long,
    /// so that two versions of Unicode agree about them.
    static let assigned: [Unicode.Scalar] = [0...0x33FF, 0xA000...0xA6FF, 0xF900...0x1_09FF]
        .flatMap { $0.compactMap { Unicode.Scalar(UInt32($0)) } }
        // U+0295 became another kind of letter.
        .filter { ($0.properties.age?.major ?? .max) <= 9 && $0 != "\u{295}" }

    /// All of the first, and one of seven further on.
    static let some = assigned.filter { $0.value < 0x300 || $0.value % 7 == 0 }
}
