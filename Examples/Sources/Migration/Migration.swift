import ArgumentParser
import DebianPackages
import Duramen
import DuramenLMDB
import DuramenMemory
import DuramenSQLite
import Foundation

/// Migrates one store through three versions of its model, and another one by stages.
@main
struct Migration: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "Migration",
        abstract:
            "Makes a store with version 1 of a model and opens it with versions 2 and 3, then another one by stages.",
        discussion: "Only the store is written, never the machine.")

    @Option(help: .init("sqlite:PATH, lmdb:PATH or memory:NAME", valueName: "url"))
    var store: String?

    @Option(help: .init("The packages to keep in it.", valueName: "file"))
    var input = "/var/lib/dpkg/status"

    @MainActor mutating func run() async throws {
        let folder = FileManager.default.temporaryDirectory.path + "/migration-\(UUID())"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let types = StoreTypes([.sqlite, .lmdb, .memory])
        let description = try types.description(for: store ?? "sqlite:\(folder)/packages.sqlite")
        try await Journey(description: description).run(try PackageReader(path: input))
        var people = description
        people.location = Self.beside(description.location)
        defer { if store == nil { try? people.destroyStore() } }
        try await StagedJourney(description: people).run(try PackageReader(path: input))
    }

    /// The name of the second store, such as `packages-maintainers.sqlite`.
    private static func beside(_ location: String) -> String {
        guard let dot = location.lastIndex(of: "."), !location[dot...].contains("/") else {
            return location + "-maintainers"
        }
        return location[..<dot] + "-maintainers" + location[dot...]
    }
}

/// The store on its way.
struct Journey {
    let description: PersistentStoreDescription

    @MainActor func run(_ packages: some Sequence<PackageReader.Entry>) async throws {
        try await fill(packages)
        for model in [try Versions.second(), try Versions.third()] {
            // What will become of it, before anything is done.
            print(try MigrationPlanner(model: model).plan(for: description))
            try await open(model)
        }
    }

    /// Version 1 of the program, on its first day.
    @MainActor func fill(_ packages: some Sequence<PackageReader.Entry>) async throws {
        let model = try Versions.first()
        let container = try await PersistentContainer(model: model, stores: [description])
        let context = container.viewContext
        guard let package = model.entity(named: "Package"),
            let section = model.entity(named: "Section")
        else { return }
        var sections: [String: ManagedObject] = [:]
        for case .package(let stanza) in packages {
            let object = ManagedObject(entity: package, context: context)
            try object.setValue(stanza.name, forKey: "name")
            try object.setValue(
                stanza.installedSizeKiB.map { Int32(clamping: $0) }, forKey: "kilobytes")
            try object.setValue(stanza.synopsis, forKey: "remark")
            guard let name = stanza.section else { continue }
            let group = sections[name] ?? ManagedObject(entity: section, context: context)
            try group.setValue(name, forKey: "name")
            sections[name] = group
            try object.setValue(group, forKey: "section")
        }
        try context.save()
        print("version 1.0: \(try Self.counts(context, model))\n")
        try container.close()
    }

    /// A later version of the program. Opening the store is all that it does about the change.
    @MainActor private func open(_ model: ManagedObjectModel) async throws {
        let container = try await PersistentContainer(model: model, stores: [description])
        let context = container.viewContext
        var request = FetchRequest<ManagedObject>(entityName: "Package")
        request.predicate = try FetchPredicate("installedSize > 10000")
        let large = try context.count(for: request)
        let name = model.versionIdentifiers.joined()
        print("version \(name): \(try Self.counts(context, model)); \(large) packages are large\n")
        try container.close()
    }

    @MainActor static func counts(
        _ context: ManagedObjectContext, _ model: ManagedObjectModel
    ) throws -> String {
        try model.entities.map { entity in
            let count = try context.count(for: FetchRequest<ManagedObject>(entityName: entity.name))
            return "\(count) \(entity.name)"
        }.joined(separator: ", ")
    }
}
