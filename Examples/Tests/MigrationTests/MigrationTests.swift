import DebianPackages
import Duramen
import DuramenMemory
import Foundation
import Testing

@testable import Migration

/// The program's way through its versions.
@MainActor
@Suite struct MigrationTests {
    private var packages: [PackageReader.Entry] {
        [("a", "libs", 20_000), ("b", "libs", nil), ("c", nil, 5)].map { name, section, size in
            var stanza = PackageStanza(name: name, version: "1")
            stanza.section = section
            stanza.installedSizeKiB = size
            stanza.synopsis = "about \(name)"
            return .package(stanza)
        }
    }

    @Test func everythingIsThereInTheLastVersion() async throws {
        let description = PersistentStoreDescription.memory("\(UUID())")
        try await Journey(description: description).run(packages)
        let model = try Versions.third()
        let container = try await PersistentContainer(model: model, stores: [description])
        let context = container.viewContext
        #expect(try Journey.counts(context, model) == "1 Group, 3 Package")
        let request = FetchRequest<ManagedObject>(entityName: "Package").sorted(by: "name")
        let objects = try context.fetch(request)
        #expect(
            try objects.map { try $0.value(forKey: "installedSize") as? Int64 } == [20_000, nil, 5])
        #expect(
            try objects.map { try $0.value(forKey: "isPinned") as? Bool } == [false, false, false])
        let group = try objects[0].value(forKey: "section") as? ManagedObject
        #expect(try group?.value(forKey: "name") as? String == "libs")
        try container.close()
    }

    @Test func anEarlierVersionIsToldThatTheStoreIsNewer() async throws {
        let description = PersistentStoreDescription.memory("\(UUID())")
        try await Journey(description: description).run(packages)
        await #expect(throws: (any Error).self) {
            _ = try await PersistentContainer(model: Versions.first(), stores: [description])
        }
    }

    @Test func maintainersAreJoinedAndTheirNamesAreSplit() async throws {
        let packages = [("a", "Ada Lovelace"), ("b", "Debian Team"), ("c", "Ada B. Lovelace")].map {
            name, maintainer in
            var stanza = PackageStanza(name: name, version: "1")
            let email = maintainer.hasPrefix("Ada") ? "ada@example.org" : "team@example.org"
            stanza.maintainer = Contact(name: maintainer, address: email)
            return PackageReader.Entry.package(stanza)
        }
        let description = PersistentStoreDescription.memory("\(UUID())")
        try await StagedJourney(description: description).run(packages)
        let model = try Maintainers.third()
        let container = try await PersistentContainer(model: model, stores: [description])
        let request = FetchRequest<ManagedObject>(entityName: "Maintainer").sorted(by: "lastName")
        let maintainers = try container.viewContext.fetch(request)
        #expect(
            try maintainers.map { try $0.value(forKey: "lastName") as? String }
                == ["Lovelace", "Team"])
        #expect(try maintainers[0].value(forKey: "address.mailbox") as? String == "ada")
        #expect(try (maintainers[0].value(forKey: "packages") as? [ManagedObject])?.count == 2)
        try container.close()
    }
}
