import Foundation
import Testing

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// The program itself, under a pseudo-terminal and without one.
@Suite(.serialized)
struct ProgramTests {
    private let program = Bundle.main.bundleURL.appendingPathComponent("ResultsList")
    private let sample = URL(filePath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("../../Samples/status").standardizedFileURL.path

    private func terminal(_ arguments: String...) throws -> PseudoTerminal {
        try PseudoTerminal(program, ["--input", sample, "--store", "memory:"] + arguments)
    }

    private let leaving = "\u{1B}[?1049l"

    @Test func keysScrollFilterEditAndUndo() throws {
        let terminal = try terminal("--still")
        try terminal.wait(for: "\u{1B}[?1049h")
        try terminal.wait(for: "packages in")
        try terminal.wait(for: "q quit")
        terminal.press("/mawk")
        try terminal.wait(for: "/mawk_")
        terminal.press("\r")
        try terminal.wait(for: "1 packages with 'mawk' in 1 sections")
        try terminal.wait(for: "q quit")
        terminal.press("f")
        try terminal.wait(for: "not saved")
        try terminal.wait(for: "favourites (1)")
        terminal.press("u")
        try terminal.wait(for: "interpreters (1)")
        terminal.press("d")
        try terminal.wait(for: "0 packages with 'mawk'")
        terminal.press("u")
        try terminal.wait(for: "1 packages with 'mawk'")
        terminal.press("q")
        let (status, last) = try terminal.waitForEnd()
        #expect(status == 0 && last.hasSuffix(leaving) && terminal.isRestored)
    }

    @Test func theListIsLiveWhileTheBackgroundWorks() throws {
        let terminal = try terminal()
        // Somebody purges three packages at a time and imports them again, and nobody presses a
        // key.
        var most = 0
        while true {
            let shown = count(in: try terminal.wait(for: "packages in")) ?? most
            if shown < most { break }
            most = max(most, shown)
        }
        terminal.press("q")
        let status = try terminal.waitForEnd().status
        #expect(status == 0 && terminal.isRestored)
    }

    /// The number before the last "packages in"; rows that flash may begin with digits, too.
    private func count(in frame: String) -> Int? {
        let parts = frame.components(separatedBy: " packages in")
        guard parts.count > 1 else { return nil }
        let digits = parts[parts.count - 2].reversed().prefix { $0.isNumber }
        return Int(String(digits.reversed()))
    }

    @Test(arguments: [SIGTERM, SIGINT, SIGHUP, SIGSEGV, SIGABRT, SIGQUIT])
    func theTerminalIsGivenBackOnEverySignal(number: Int32) throws {
        let terminal = try terminal("--still")
        try terminal.wait(for: "q quit")
        #expect(!terminal.isRestored)
        terminal.send(number)
        let (status, last) = try terminal.waitForEnd()
        #expect(status == number && last.hasSuffix(leaving) && terminal.isRestored)
    }

    @Test(arguments: [["--once"], []])
    func withoutATerminalTheListIsPrinted(arguments: [String]) throws {
        let process = Process()
        let output = Pipe()
        process.executableURL = program
        process.arguments = ["--input", sample, "--store", "memory:"] + arguments
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        let text = String(
            decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        #expect(process.terminationStatus == 0 && !text.contains("\u{1B}"))
        #expect(text.contains("\n  mawk ") && text.contains(" sections\n"))
    }
}
