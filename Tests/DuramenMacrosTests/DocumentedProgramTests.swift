import Foundation
import Testing

/// Runs the programs of README and of the tutorials as a reader does: in an empty folder, command
/// by command.
struct DocumentedProgramTests {
    private static let catalog = "Sources/Duramen/Duramen.docc"

    @Test func theProgramOfTheReadmeRunsTwice() throws {
        #expect(try Walk().follow("README.md") >= 2)
    }

    @Test func theArticleMeetDuramenCanBeFollowed() throws {
        #expect(try Walk().follow("\(Self.catalog)/MeetDuramen.md") >= 6)
    }

    @Test func theArticleAListThatUpdatesItselfCanBeFollowed() throws {
        #expect(try Walk().follow("\(Self.catalog)/AListThatUpdatesItself.md") == 2)
    }

    @Test func theProgramOnLMDBDiffersByOneWord() throws {
        let names = ["Shelf", "ShelfOnLMDB"]
        let sources = try names.map { try Walk.text("Tests/Programs/\($0)/main.swift") }
        let changed = sources[0].replacing("sqlite(\"shelf.sqlite\")", with: "lmdb(\"shelf.lmdb\")")
        #expect(changed == sources[1] && changed != sources[0])
    }
}

/// One reading of a document: code chooses the program, and commands run it.
private struct Walk {
    private static let root = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    private static let programs = [
        "Readme", "ShelfBegun", "Shelf", "ShelfOnLMDB", "BoardBegun", "Board",
    ]

    static func text(_ path: String) throws -> String {
        try String(contentsOf: root.appending(path: path), encoding: .utf8)
    }

    /// Compares what the document shows with what the programs print.
    ///
    /// - Returns: How many commands were run.
    func follow(_ document: String) throws -> Int {
        let folder = FileManager.default.temporaryDirectory
            .appending(path: "walk-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        var program: String?
        var count = 0
        for block in try Self.text(document).matches(of: /(?s)```(swift|console)\n(.*?)```/) {
            let content = String(block.output.2)
            if block.output.1 == "swift" {
                if content.contains("import PackageDescription") { continue }
                program = try Self.program(with: content, now: program)
                #expect(program != nil, "Not in a program: \(content)")
                continue
            }
            for (command, output) in Self.commands(of: content) {
                guard let binary = Self.binary(of: command, program) else { continue }
                let printed = try Self.run(binary, command.dropFirst(3), in: folder)
                #expect(
                    Self.masked(printed, as: output) == output,
                    "\(document): \(command.joined(separator: " "))")
                count += 1
            }
        }
        return count
    }

    /// The program that has the code; the present one if it does.
    private static func program(with code: String, now: String?) throws -> String? {
        try ([now].compactMap(\.self) + programs).first {
            try text("Tests/Programs/\($0)/main.swift").contains(code)
        }
    }

    /// The commands of a block, each with the output that is shown below it.
    private static func commands(of block: String) -> [(command: [String], output: String)] {
        block.split(separator: #/(?m)^\$ /#).map { part in
            let lines = part.split(separator: "\n", maxSplits: 1)
            // What is within quotes is one argument.
            let words = lines[0].matches(of: /"([^"]*)"|([^ ]+)/)
                .map { String($0.output.1 ?? $0.output.2 ?? "") }
            return (words, lines.count > 1 ? String(lines[1]) : "")
        }
    }

    /// What was printed, with an ellipsis for each word that the document leaves out: it differs
    /// from run to run.
    private static func masked(_ printed: String, as shown: String) -> String {
        let lines = zip(printed.split(separator: "\n"), shown.split(separator: "\n"))
        guard printed.count(where: \.isNewline) == shown.count(where: \.isNewline) else {
            return printed
        }
        return lines.map { line, model in
            guard model.hasSuffix("…"), let end = line.lastIndex(of: " ") else {
                return line + "\n"
            }
            return line[...end] + "…\n"
        }.joined()
    }

    /// The name of the program that `swift run NAME` means.
    private static func binary(of command: [String], _ program: String?) -> String? {
        guard command.count > 2, command[..<2] == ["swift", "run"] else { return nil }
        return command[2] == "duramen" ? "duramen" : program.map { "\($0)Program" }
    }

    private static func run(
        _ name: String, _ arguments: some Sequence<String>, in folder: URL
    ) throws -> String {
        let process = Process()
        // Tests and programs are built into one folder.
        process.executableURL = Bundle.main.bundleURL.appending(path: name)
        process.arguments = Array(arguments)
        process.currentDirectoryURL = folder
        process.environment = ["COLUMNS": "80"]
        let (output, errors) = (Pipe(), Pipe())
        process.standardOutput = output
        process.standardError = errors
        try process.run()
        // What the programs print fits into the pipes' buffers.
        process.waitUntilExit()
        let complaint = errors.fileHandleForReading.readDataToEndOfFile()
        #expect(process.terminationStatus == 0, "\(String(decoding: complaint, as: UTF8.self))")
        return String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    }
}
