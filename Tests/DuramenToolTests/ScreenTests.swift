import DuramenModel
import DuramenSQLite
import DuramenStore
import Foundation
import StoreTestSupport
import Testing

@testable import DuramenTool

/// What is in files and in their names cannot do more to a terminal than to be shown.
@Suite struct ScreenTests {
    let folder = TemporaryFolder()

    /// A title that a terminal would take for commands: clearing, colours, a window's title, C1
    /// forms of the same, DEL, a line of its own, and a turned direction.
    static let hostile =
        "a\u{1B}[2J\u{1B}]0;b\u{7}\u{9B}31m\u{9D}c\u{7F}\u{85}\u{2028}\u{202E}d\u{2066}\u{61C}\r\n\tz"

    @Test("Control characters are shown as escapes")
    func escapes() {
        #expect(
            PlainLine(Self.hostile).text
                == #"a\u{1B}[2J\u{1B}]0;b\u{7}\u{9B}31m\u{9D}c\u{7F}\u{85}\u{2028}\u{202E}d\u{2066}\u{61C}\r\n\tz"#
        )
        #expect(PlainLine.lines(of: "a\nb\u{1B}") == "a\nb\\u{1B}")
    }

    @Test(
        "Text that is plain stays as it is", arguments: ["Ångström é", "漢字", "👩‍👩‍👧", "a\\n", "…·—“”"])
    func plainText(text: String) {
        #expect(PlainLine(text).text == text)
    }

    @Test("JSON escapes them too, and says the same")
    func json() throws {
        let quoted = JSONText.quoted(Self.hostile)
        #expect(quoted.unicodeScalars.allSatisfy(PlainLine.isPlain))
        let whole = JSONText.escapingControls("[\n\(quoted), \"\u{9B}\u{202E}\u{7F}\"\n]")
        #expect(whole.unicodeScalars.allSatisfy { $0 == "\n" || PlainLine.isPlain($0) })
        let values = try JSONDecoder().decode([String].self, from: Data(whole.utf8))
        #expect(
            values.map { Array($0.utf8) } == [
                Array(Self.hostile.utf8), Array("\u{9B}\u{202E}\u{7F}".utf8),
            ])
    }

    @Test("No command prints one, neither from values, names, metadata, histories nor arguments")
    func commands() throws {
        let path = try store()
        let title = "title == '\(Self.hostile.replacing("'", with: ""))'"
        for arguments in [
            ["fetch", path, "Book"], ["fetch", path, "Book", "--format", "json"],
            ["fetch", path, "Book", "--where", title], ["fetch", path, "Bo\u{9B}ok"],
            ["fetch", path, "Book", "--where", "title == \u{1B} 3"],
            ["fetch", path, "Book", "--columns", "ti\u{202E}tle"],
            ["explain", path, "Book", "--where", title],
            ["count", path, "Book", "--where", title], ["info", path], ["info", path, "--json"],
            ["verify", path], ["history", path], ["history", path, "--json"],
            ["predicate", "parse", title], ["predicate", "parse", title, "--json"],
            ["predicate", "parse", "a\u{9B} ="], ["migrate", path, "--to", path + "\u{1B}[2J"],
            ["info", path + "\u{7F}\u{1B}[31m"], ["in\u{1B}fo"], ["info", path, "--ch\u{9B}eck"],
            ["model", "validate", path + "\u{1B}"], ["model", "show", path + "\u{1B}"],
        ] {
            let tool = try Tool(arguments)
            let printed = tool.output + tool.errors
            #expect(!printed.isEmpty)
            let bad = printed.unicodeScalars.filter { $0 != "\n" && !PlainLine.isPlain($0) }
            #expect(
                bad.isEmpty, "\(arguments.map { PlainLine($0).text }): \(PlainLine(printed).text)")
        }
    }

    @Test("CSV in a file is exact")
    func csv() throws {
        let fetch = try Tool("fetch", try store(), "Book", "--columns", "title", "--format", "csv")
        #expect(Array(fetch.output.utf8) == Array("title\r\n\"\(Self.hostile)\"\r\n".utf8))
    }

    @Test("All output goes through one type")
    func onePlace() throws {
        let sources = URL(filePath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "Sources/DuramenTool")
        let files = FileManager.default.enumerator(at: sources, includingPropertiesForKeys: nil)
        var found: [String] = []
        for case let file as URL in files ?? .init() where file.pathExtension == "swift" {
            if ["Screen.swift", "OutputStream.swift"].contains(file.lastPathComponent) { continue }
            let text = try String(contentsOf: file, encoding: .utf8)
            if text.contains(/(^|[^.\w])print\(|Swift\.print|standardOutput|standardError/) {
                found.append(file.lastPathComponent)
            }
        }
        #expect(found == [])
    }

    // MARK: -

    private func store() throws -> String {
        let path = folder.file("hostile.sqlite")
        let store = try PersistentStoreDescription.sqlite(path).keepingHistory()
            .open(model: Shelf.model)
        _ = try store.save(
            ChangeSet(
                metadata: ["no\u{1B}te": .text(StoredText(Self.hostile))],
                author: Self.hostile))
        try store.insert("Book", ["title": .text(StoredText(Self.hostile))])
        try store.close()
        return path
    }
}
