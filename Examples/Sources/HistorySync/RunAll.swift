import ArgumentParser
import Duramen
import ExampleSupport
import Foundation
import PackageImport

/// Starts the three processes and waits for them.
struct RunAll: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run", abstract: "Starts an importer, a viewer and a mirror.")

    @Option(help: "A file in the format of /var/lib/dpkg/status, uncompressed.")
    var input = "/var/lib/dpkg/status"

    func run() async throws {
        let store = try ExampleStore.temporary().text
        let folder = URL(fileURLWithPath: String(store.dropFirst("sqlite:".count)))
            .deletingLastPathComponent()
        defer { try? FileManager.default.removeItem(at: folder) }
        let mirror = "lmdb:" + folder.appendingPathComponent("mirror.lmdb").path
        // The store is there before anybody follows it.
        try await ExampleStore(store).open(keepsHistory: true).close()
        let processes = try [
            ["view", "--store", store], ["mirror", "--store", store, "--to", mirror],
            ["import", "--store", store, "--input", input],
        ].map(Self.start)
        for process in processes { process.waitUntilExit() }
        if processes.contains(where: { $0.terminationStatus != 0 }) { throw ExitCode.failure }
    }

    private static func start(_ arguments: [String]) throws -> Process {
        let process = Process()
        process.executableURL = URL(
            fileURLWithPath: Bundle.main.executablePath ?? CommandLine.arguments[0])
        process.arguments = arguments
        try process.run()
        return process
    }
}
