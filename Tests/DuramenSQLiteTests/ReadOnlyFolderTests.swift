#if os(Linux)
import DuramenModel
import DuramenQuery
import DuramenSQLite
import DuramenStore
import Foundation
import StoreTestSupport
import Testing

/// A store in a folder that the reader may not write to, and somebody else may.
@Suite(
    .enabled(
        if: geteuid() == 0 && Shell.isThere,
        "takes a user that can become another one, and the engine's shell for the other program"))
struct ReadOnlyFolderTests {
    let folder = TemporaryFolder()

    @Test func whatOthersWriteIsNoticedOrTheStoreIsBusy() async throws {
        let path = folder.file()
        let store = try Library.open(path)
        try store.insert("Tag", ["label": .text("a")])
        try store.close()
        let progress = folder.file("progress")
        try writeFile(progress)
        for (path, mode) in [(folder.path, 0o755), (path, 0o644), (progress, 0o666)] {
            try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
        }
        await #expect(processExitsWith: .success) {
            [path = path as String, progress = progress as String] in
            do { try Self.follow(path) } catch {
                // Read by the test when this process ends.
                try writeFile(progress, "\(error)")
                throw error
            }
        }
        let words = try String(contentsOfFile: progress, encoding: .utf8)
        #expect(words == "", "\(words)")
    }

    /// Reads as a user without the right to write, while another program writes.
    private static func follow(_ path: String) throws {
        let writer = try Shell()
        try need(seteuid(65_534) == 0, "cannot become another user")
        let store = try PersistentStoreDescription.sqlite(path).timeout(seconds: 5).readOnly()
            .open(model: Library.model)
        let query = try store.query("Tag")
        let first = try store.snapshot()
        try need(try first.count(query) == 1, "the first state")
        for round in 2...6 {
            let snapshot = try store.snapshot()
            try need(try snapshot.count(query) == round - 1, "state \(round - 1)")
            try writer.run(".open '\(path)'")
            try writer.run("PRAGMA wal_autocheckpoint=0;")
            try writer.run(
                "BEGIN IMMEDIATE; INSERT INTO ZTAG (Z_ENT, Z_OPT) SELECT Z_ENT, 1 FROM ZTAG LIMIT 1;"
                    + "INSERT INTO DURAMEN_SAVE (ZIDENTIFIER) VALUES (NULL); COMMIT;")
            // In the log, which this process may use as far as it can read it.
            try check(round, "in the log") { try store.snapshot().count(query) }
            try check(round - 1, "an older snapshot") { try snapshot.count(query) }
            // In the file.
            try writer.run("PRAGMA wal_checkpoint;")
            try writer.run(".open :memory:")
            try check(round - 1, "an older snapshot of the file") { try snapshot.count(query) }
            // It began with a file that nobody had a log of.
            try need(
                storeErrorCode { try first.count(query) } == .storeBusy,
                "a snapshot of a file that was written")
            try need(try store.snapshot().count(query) == round, "round \(round) in the file")
            try need(
                try SQLiteStoreType().metadata(of: .sqlite(path).readOnly()).userInfo.isEmpty,
                "metadata")
        }
        try store.close()
    }

    /// Makes sure of a count, unless the store is busy.
    private static func check(_ count: Int, _ what: String, _ work: () throws -> Int) throws {
        var found: Int?
        let code = storeErrorCode { found = try work() }
        try need(
            found == count || code == .storeBusy, "\(what): \(found as Any), \(code as Any)")
    }

    private static func need(_ condition: Bool, _ what: String) throws {
        if !condition { throw StoreError(.io, what) }
    }
}

/// The engine's own shell, as another program that writes.
private final class Shell {
    private static let path = "/usr/bin/sqlite3"
    static let isThere = FileManager.default.isExecutableFile(atPath: path)

    private let process = Process()
    private let (input, output) = (Pipe(), Pipe())

    init() throws {
        process.executableURL = URL(fileURLWithPath: Self.path)
        process.arguments = ["-batch"]
        process.standardInput = input
        process.standardOutput = output
        try process.run()
    }

    deinit { process.terminate() }

    /// Runs a line, and waits for its end.
    func run(_ line: String) throws {
        try input.fileHandleForWriting.write(contentsOf: Data("\(line)\n.print done\n".utf8))
        var text = ""
        while !text.hasSuffix("done\n") {
            let data = output.fileHandleForReading.availableData
            if data.isEmpty { throw StoreError(.io, "the shell ended: \(text)") }
            text += String(decoding: data, as: UTF8.self)
        }
    }
}
#endif
