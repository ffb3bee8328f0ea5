import Foundation

/// A sentence that somebody reads: where it stands, and its words without marks of code.
struct Sentence {
    var path: String
    var line: Int
    var text: String

    /// Above this many words a sentence has to be read twice.
    static let mostWords = 25

    var words: [Substring] {
        text.split(separator: " ").filter { $0.contains { $0.isLetter || $0.isNumber } }
    }

    var isLong: Bool { words.count > Self.mostWords }

    /// The phrases that a reader stumbles over: a headless clause at the beginning, or one of the
    /// list. Words of `idioms` are left out first.
    func stumbles(allowing idioms: [String]) -> [String] {
        let plain = words.map { $0.lowercased().trimming { !($0.isLetter || $0.isNumber) } }
        var text = " " + plain.joined(separator: " ") + " "
        let beginnings = Self.headless.filter { text.hasPrefix(" \($0.lowercased()) ") }
        for idiom in idioms { text = text.replacingOccurrences(of: " \(idiom) ", with: " · ") }
        return beginnings + Self.phrases.filter { text.contains(" \($0) ") }
    }

    static let headless = ["What", "Who", "Whoever", "Those"]
    static let phrases = [
        "is no", "is none of", "that one", "lets go", "takes back", "stands for", "leads to",
        "is told", "anew",
    ]

    /// The sentences of a paragraph.
    static func all(in paragraph: String, path: String, line: Int) -> [Sentence] {
        var sentences: [Sentence] = []
        var words: [Substring] = []
        func end() {
            if !words.isEmpty {
                sentences.append(
                    Sentence(path: path, line: line, text: words.joined(separator: " ")))
            }
            words = []
        }
        for word in withoutCode(paragraph).split(whereSeparator: \.isWhitespace) {
            words.append(word)
            let bare = word.trimmingSuffix { "\"'”’)_*".contains($0) }
            if let last = bare.last, ".!?".contains(last), !abbreviations.contains(String(bare)) {
                end()
            }
        }
        end()
        return sentences
    }

    private static let abbreviations: Set = ["e.g.", "i.e.", "etc.", "vs."]

    /// The text with one word in place of each piece of code, and without the targets of links.
    private static func withoutCode(_ text: String) -> String {
        guard text.contains(where: { "`[]*".contains($0) }) else { return text }
        return text.replacing(/``[^`]+``|`[^`]+`/, with: "code1")
            .replacing(/\]\([^)]*\)/, with: "]")
            .replacing(/[*\[\]]/, with: "")
    }
}

extension StringProtocol {
    fileprivate func trimming(_ drops: (Character) -> Bool) -> String {
        String(drop(while: drops).reversed().drop(while: drops).reversed())
    }

    func trimmingSuffix(_ drops: (Character) -> Bool) -> String {
        String(reversed().drop(while: drops).reversed())
    }
}
