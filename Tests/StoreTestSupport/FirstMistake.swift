import Foundation

/// A mistake of a newcomer's first hour, with the one message that it gives.
package struct FirstMistake: Sendable {
    package let number: Int
    package let title: String
    /// What somebody wrote.
    package let code: String
    /// What the library, the compiler or the tool says.
    package let message: String

    /// The table, in `Tests/Fixtures/mistakes.txt`.
    package static let all: [FirstMistake] = {
        let file = URL(filePath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "Fixtures/mistakes.txt")
        let text = (try? String(contentsOf: file, encoding: .utf8)) ?? ""
        return text.components(separatedBy: "\n\n").compactMap { FirstMistake($0) }
    }()

    /// The mistake of a number.
    package static func numbered(_ number: Int) -> FirstMistake? {
        all.first { $0.number == number }
    }

    /// Nil for what does not begin with a number and a point.
    private init?(_ entry: String) {
        var lines = entry.split(separator: "\n", omittingEmptySubsequences: false)[...]
        guard let head = lines.popFirst()?.firstMatch(of: /^(\d+)\. (.+)$/),
            let number = Int(head.1), let code = lines.popFirst(), code.hasPrefix("code: "),
            let first = lines.popFirst(), first.hasPrefix("says: ")
        else { return nil }
        self.number = number
        title = String(head.2)
        self.code = String(code.dropFirst("code: ".count))
        // The message is indented by four places.
        let rest = lines.filter { !$0.isEmpty }.map { $0.dropFirst(4) }
        message = ([first.dropFirst("says: ".count)] + rest).joined(separator: "\n")
    }
}
