import Foundation
import Synchronization

/// How a process ended.
enum ProcessEnd: Equatable, CustomStringConvertible {
    case exited(Int32)
    case signalled(Int32)
    /// It was still there at the deadline, and was killed.
    case hung

    var description: String {
        switch self {
        case .exited(let code): "exit \(code)"
        case .signalled(let signal): "signal \(signal)"
        case .hung: "no end before the deadline"
        }
    }
}

/// A process that this one started, with pipes to its input and from its two outputs together.
final class ChildProcess {
    let identifier: pid_t
    private let input: Int32
    private let output: Int32
    private var pending: [UInt8] = []
    private var isAtEnd = false
    private var end: ProcessEnd?

    /// Starts a program.
    ///
    /// - Parameter environment: Added to that of this process.
    init(_ program: String, _ arguments: [String], environment: [String: String] = [:]) throws {
        (identifier, input, output) = try Self.starting.withLock { _ in
            try Self.start(program, arguments, environment)
        }
    }

    // One at a time: a pipe is inherited until it is marked, and an inherited end would keep the
    // parent from seeing the end of the outputs.
    private static let starting = Mutex(())

    private static func start(
        _ program: String, _ arguments: [String], _ environment: [String: String]
    ) throws -> (pid_t, input: Int32, output: Int32) {
        let inner = try makePipe()
        let outer = try makePipe()
        #if canImport(Darwin)
        var actions: posix_spawn_file_actions_t?
        #else
        var actions = posix_spawn_file_actions_t()
        #endif
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, inner.reading, STDIN_FILENO)
        posix_spawn_file_actions_adddup2(&actions, outer.writing, STDOUT_FILENO)
        posix_spawn_file_actions_adddup2(&actions, outer.writing, STDERR_FILENO)
        var variables = ProcessInfo.processInfo.environment
        // The backtracer of a process that dies on purpose can hang.
        variables["SWIFT_BACKTRACE"] = "enable=no"
        for (name, value) in environment { variables[name] = value }
        let values: [UnsafeMutablePointer<CChar>?] =
            variables.map { strdup("\($0.key)=\($0.value)") } + [nil]
        let words: [UnsafeMutablePointer<CChar>?] =
            ([program] + arguments).map { strdup($0) } + [nil]
        defer { (values + words).forEach { free($0) } }
        var made: pid_t = 0
        let result = posix_spawn(&made, program, &actions, nil, words, values)
        close(inner.reading)
        close(outer.writing)
        if result != 0 {
            close(inner.writing)
            close(outer.reading)
            throw TortureError("cannot start \(program): \(String(cString: strerror(result)))")
        }
        return (made, inner.writing, outer.reading)
    }

    deinit {
        if end == nil { finish(signal: SIGKILL) }
        close(input)
        close(output)
    }

    /// Makes a pipe whose ends are closed in other processes.
    private static func makePipe() throws -> (reading: Int32, writing: Int32) {
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else {
            throw TortureError("no pipe: \(String(cString: strerror(errno)))")
        }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        return (ends[0], ends[1])
    }

    // MARK: - Talking

    /// Writes a line; a process that is gone does not read it.
    func send(_ line: String) { Output.write(line, to: input) }

    /// The next line of the outputs; nil at their end or at the deadline.
    func readLine(before deadline: ContinuousClock.Instant) -> String? {
        while true {
            if let place = pending.firstIndex(of: UInt8(ascii: "\n")) {
                let line = String(decoding: pending[..<place], as: UTF8.self)
                pending.removeSubrange(...place)
                return line
            }
            if isAtEnd { return nil }
            let rest = ContinuousClock.now.duration(to: deadline) / .milliseconds(1)
            guard rest > 0 else { return nil }
            var waiting = pollfd(fd: output, events: Int16(POLLIN), revents: 0)
            if poll(&waiting, 1, Int32(rest.rounded(.up))) <= 0 { continue }
            var block = [UInt8](repeating: 0, count: 4_096)
            let count = block.withUnsafeMutableBytes { read(output, $0.baseAddress, $0.count) }
            if count > 0 {
                pending += block[..<count]
            } else if count == 0 || errno != EINTR {
                isAtEnd = true
            }
        }
    }

    /// The next line that begins with one of some words; others are kept in ``remarks``.
    func readLine(
        beginning words: [String], before deadline: ContinuousClock.Instant
    ) -> String? {
        while let line = readLine(before: deadline) {
            if words.contains(where: { line == $0 || line.hasPrefix($0 + " ") }) { return line }
            remarks.append(line)
        }
        return nil
    }

    /// Lines that nobody asked for, such as the last words of a runtime.
    private(set) var remarks: [String] = []

    // MARK: - Ending

    func signal(_ number: Int32) { if end == nil { kill(identifier, number) } }

    /// Waits until the process is stopped by a signal.
    ///
    /// - Returns: Whether it is, and not at its end.
    func waitUntilStopped() -> Bool {
        var status: Int32 = 0
        while waitpid(identifier, &status, WUNTRACED) < 0 {
            guard errno == EINTR else { return false }
        }
        if status & 0xFF == 0x7F { return true }
        end = Self.end(of: status)
        return false
    }

    /// Sends a signal and waits for the end.
    @discardableResult
    func finish(signal number: Int32) -> ProcessEnd {
        if let end { return end }
        kill(identifier, number)
        return waitForEnd()
    }

    /// Waits for the end of the outputs, then for that of the process; kills it at the deadline.
    func finish(before deadline: ContinuousClock.Instant) -> ProcessEnd {
        while let line = readLine(before: deadline) { remarks.append(line) }
        if let end { return end }
        if isAtEnd { return waitForEnd() }
        finish(signal: SIGKILL)
        end = .hung
        return .hung
    }

    private func waitForEnd() -> ProcessEnd {
        var status: Int32 = 0
        while waitpid(identifier, &status, 0) < 0 {
            if errno != EINTR { break }
        }
        let found = Self.end(of: status)
        end = found
        return found
    }

    private static func end(of status: Int32) -> ProcessEnd {
        let signal = status & 0x7F
        return signal == 0 ? .exited(status >> 8 & 0xFF) : .signalled(signal)
    }
}
