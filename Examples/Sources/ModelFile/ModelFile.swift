import ArgumentParser
import Duramen
import DuramenLMDB
import DuramenMemory
import DuramenSQLite
import ExampleSupport
import Foundation

/// Keeps the accounts of this machine in objects whose classes come from a model file.
@main
struct ModelFile: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ModelFile",
        abstract: "Reads the users and groups of this machine into objects of a model file.",
        discussion: """
            The classes Account, Group and Person are generated from Accounts.xcdatamodeld by the plugin \
            ModelCodegen, in the build of this program. Only the store is written, never the machine.
            """)

    @Option(help: .init("sqlite:PATH, lmdb:PATH or memory:", valueName: "url"))
    var store = "memory:"

    @Option(help: .init("The file of the users.", valueName: "file"))
    var users = "/etc/passwd"

    @Option(help: .init("The file of the groups.", valueName: "file"))
    var groups = "/etc/group"

    @MainActor mutating func run() async throws {
        let types = StoreTypes([.sqlite, .lmdb, .memory])
        let container = try await PersistentContainer(
            model: .accounts, stores: [types.description(for: store)])
        let context = container.viewContext
        let reader = AccountReader(context)
        try reader.readGroups(lines(of: groups))
        try reader.readUsers(lines(of: users))
        try context.save()
        print(try AccountReport(context).text)
        try container.close()
    }

    private func lines(of path: String) throws -> [String] {
        try String(contentsOfFile: path, encoding: .utf8)
            .split(separator: "\n").map(String.init)
    }
}
