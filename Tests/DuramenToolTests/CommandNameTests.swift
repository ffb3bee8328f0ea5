import Foundation
import StoreTestSupport
import Testing

@testable import DuramenTool

@Suite struct CommandNameTests {
    @Test("A command with a letter missing is guessed")
    func nearCommand() throws {
        let mistake = try #require(FirstMistake.numbered(14))
        let tool = try Tool(mistake.code.split(separator: " ").dropFirst().map(String.init))
        #expect(tool.status == 64 && tool.output == "")
        #expect(tool.errors.hasPrefix(mistake.message + "\n"), "\(tool.errors)")
    }

    @Test("A command of a command is guessed too")
    func nearSubcommand() throws {
        let tool = try Tool("model", "shwo", "Library.xcdatamodeld")
        #expect(tool.status == 64)
        #expect(
            tool.errors.hasPrefix(
                "Error: 'duramen model' has no command 'shwo'. Did you mean 'show'?\n"))
    }

    @Test("Without a near command all are named")
    func farCommand() throws {
        let tool = try Tool("serve")
        #expect(tool.status == 64)
        #expect(
            tool.errors.contains(
                "'duramen' has no command 'serve'. Use one of info, fetch, count, "))
    }

    @Test("Help is still there", arguments: [["--help"], ["help"], ["help", "info"], []])
    func help(arguments: [String]) throws {
        let tool = try Tool(arguments)
        #expect(tool.status == 0 && tool.errors == "")
        #expect(tool.output.contains("USAGE: duramen"))
    }

    @Test("The version is that of the change log")
    func version() throws {
        let log = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "CHANGELOG.md")
        let text = try String(contentsOf: log, encoding: .utf8)
        let newest = try #require(text.firstMatch(of: /(?m)^## \[?([^\]\s]+)/)).1
        let tool = try Tool("--version")
        #expect(tool.status == 0 && tool.errors == "")
        #expect(tool.output == "duramen \(newest.lowercased())\n")
        #expect(tool.output == "duramen \(ToolVersion.text)\n")
    }
}
