import Foundation

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// A program that believes it has a terminal, and what it shows there.
///
/// Confined to one test.
final class PseudoTerminal {
    struct Failure: Error { let what: String }

    private let master: Int32
    private let slave: Int32
    private let process = Process()
    private var seen: [UInt8] = []
    /// What the terminal was before the program came.
    private let settings: termios

    init(_ program: URL, _ arguments: [String], rows: UInt16 = 20, columns: UInt16 = 90) throws {
        var size = winsize(ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0)
        var ends: (master: Int32, slave: Int32) = (-1, -1)
        guard openpty(&ends.master, &ends.slave, nil, nil, &size) == 0 else {
            throw Failure(what: "no pseudo-terminal: \(errno)")
        }
        (master, slave) = ends
        var settings = termios()
        tcgetattr(slave, &settings)
        self.settings = settings
        let handle = FileHandle(fileDescriptor: slave)
        process.executableURL = program
        process.arguments = arguments
        process.standardInput = handle
        process.standardOutput = handle
        process.standardError = FileHandle.nullDevice
        try process.run()
        _ = fcntl(master, F_SETFL, O_NONBLOCK)
    }

    deinit {
        if process.isRunning { process.terminate() }
        close(master)
        close(slave)
    }

    /// Presses keys.
    func press(_ keys: String) {
        let bytes = Array(keys.utf8)
        _ = bytes.withUnsafeBytes { write(master, $0.baseAddress, $0.count) }
    }

    func send(_ number: Int32) { kill(process.processIdentifier, number) }

    /// Waits until something is shown behind what was waited for before.
    ///
    /// - Returns: What was shown up to there.
    @discardableResult
    func wait(for text: String) throws -> String {
        let wanted = Array(text.utf8)
        let end = ContinuousClock.now + .seconds(120)
        while ContinuousClock.now < end {
            if let place = seen.firstRange(of: wanted) {
                let before = String(decoding: seen[..<place.upperBound], as: UTF8.self)
                seen.removeFirst(place.upperBound)
                return before
            }
            if !readSome(), !process.isRunning, !readSome() { break }
        }
        throw Failure(what: "'\(text)' is not shown: \(String(decoding: seen, as: UTF8.self))")
    }

    /// Waits for the end of the program.
    ///
    /// - Returns: How it ended, and what it showed last.
    func waitForEnd() throws -> (status: Int32, last: String) {
        let end = ContinuousClock.now + .seconds(120)
        while process.isRunning {
            _ = readSome()
            if ContinuousClock.now > end { throw Failure(what: "the program does not end") }
        }
        while readSome() {}
        process.waitUntilExit()
        return (process.terminationStatus, String(decoding: seen, as: UTF8.self))
    }

    /// Whether the terminal is as it was before the program came.
    var isRestored: Bool {
        var now = termios()
        tcgetattr(slave, &now)
        return now.c_lflag == settings.c_lflag && now.c_iflag == settings.c_iflag
            && now.c_oflag == settings.c_oflag
    }

    /// Reads what is there, or waits a moment for it.
    private func readSome() -> Bool {
        var waiting = pollfd(fd: master, events: Int16(POLLIN), revents: 0)
        guard poll(&waiting, 1, 50) > 0 else { return false }
        var bytes = [UInt8](repeating: 0, count: 65_536)
        let count = read(master, &bytes, bytes.count)
        if count <= 0 { return false }
        seen += bytes.prefix(count)
        return true
    }
}
