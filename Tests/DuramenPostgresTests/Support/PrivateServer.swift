import DuramenStore
import Foundation

@testable import DuramenPostgres

/// A server of one test, which may stop it, or fill it.
///
/// `Scripts/postgres` makes it and removes it.
final class PrivateServer {
    /// Where it is.
    let text: String
    private let programs: String
    private let cluster: String
    private let environment: [String: String]

    private static let script = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "Scripts/postgres").path

    /// Starts a server; nil where no server is installed.
    init?() throws {
        let state = FileManager.default.temporaryDirectory
            .appending(path: "duramen-server-\(UUID().uuidString)").path
        var environment = ProcessInfo.processInfo.environment
        environment["DURAMEN_POSTGRES_STATE"] = state
        self.environment = environment
        let output = state + "-output"
        defer { try? FileManager.default.removeItem(atPath: output) }
        do {
            try Self.run("'\(Self.script)' find")
        } catch {
            recordNotTested("stopped servers", because: "no server is installed here")
            return nil
        }
        try Self.run("'\(Self.script)' start >'\(output)'", environment)
        let words = try String(contentsOfFile: output, encoding: .utf8)
        guard let start = words.firstIndex(of: "'"), let end = words.lastIndex(of: "'"),
            start < end
        else { throw StoreError(.io, "Scripts/postgres printed no location") }
        text = String(words[words.index(after: start)..<end])
        let lines = try String(contentsOfFile: state, encoding: .utf8).split(separator: "\n")
        programs = String(lines[0])
        cluster = String(lines[1])
    }

    deinit { try? Self.run("'\(Self.script)' stop", environment) }

    /// Stops it, as a machine does that fails.
    func stop() throws { try control(["-m", "immediate", "stop"]) }

    /// Starts it again, with changed settings.
    ///
    /// - Parameters:
    ///   - settings: The settings.
    ///   - fileKilobytes: The largest size of a file, beyond which the server finds the disk full.
    func start(_ settings: [String] = [], fileKilobytes: Int? = nil) throws {
        let options = settings.map { "-c \($0)" }.joined(separator: " ")
        try control(
            ["-w", "-o", "\"\(options)\"", "-l", "\(cluster)/log", "start"],
            fileKilobytes: fileKilobytes)
    }

    private func control(_ words: [String], fileKilobytes: Int? = nil) throws {
        let command = (["\(programs)/pg_ctl", "-D", "\(cluster)/data"] + words)
            .joined(separator: " ")
        // As Scripts/postgres: the server refuses to be run by root.
        let user = getpwnam("postgres") == nil ? "nobody" : "postgres"
        let prefix = geteuid() == 0 ? "runuser -u \(user) -- " : ""
        let limit = fileKilobytes.map { "ulimit -f \($0) && " } ?? ""
        try Self.run("cd / && \(limit)\(prefix)\(command) >/dev/null")
    }

    /// Writes a file that only the server reads, and returns its path.
    func write(_ name: String, _ text: String) throws -> String {
        let path = "\(cluster)/\(name)"
        try Data(text.utf8).write(to: URL(filePath: path))
        chmod(path, 0o600)
        if geteuid() == 0 {
            var status = stat()
            guard stat("\(cluster)/data", &status) == 0 else { throw StoreError(.io, "no server") }
            chown(path, status.st_uid, status.st_gid)
        }
        return path
    }

    /// The password of the server's owner.
    var password: String {
        (try? ConnectionSettings.parse(text).settings.parameters["password"]) ?? ""
    }

    /// Runs a command of the shell, and waits for its end.
    private static func run(
        _ command: String, _ environment: [String: String]? = nil
    ) throws {
        // What the server inherits stays open: the pipes of other tests, and the socket by which a
        // process learns that its child has ended.
        let closing =
            "for f in /proc/$$/fd/*; do n=${f##*/}; [ $n -gt 2 ] && eval \"exec $n>&-\"; done; "
        let process = Process()
        process.executableURL = URL(filePath: "/bin/bash")
        process.arguments = ["-c", closing + command]
        if let environment { process.environment = environment }
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw StoreError(
                .io, "a command of the server's ended with \(process.terminationStatus)")
        }
    }
}
