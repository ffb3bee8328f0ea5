import Duramen
import DuramenMacros
import DuramenMemory
import DuramenSQLite
import Foundation
import Testing

@Managed
final class Voyage: ManagedObject {
    var harbour: String
    var days: Int?
}

enum FleetVersion2 {
    // The same class, moved.
    @Managed
    final class Voyage: ManagedObject {
        var harbour: String
        var days: Int?
    }
}

/// Where a class is written says nothing about its entity.
@Suite struct NestedClassTests {
    @Test("B5: A class that moves into an enumeration is of the same entity, and finds its objects")
    func b5AMovedClassKeepsItsEntity() throws {
        let (old, new) = (
            try ManagedObjectModel(Voyage.self), try ManagedObjectModel(FleetVersion2.Voyage.self)
        )
        #expect(new.entities.map(\.name) == ["Voyage"])
        #expect(new.versionChecksum == old.versionChecksum)
        let path = FileManager.default.temporaryDirectory
            .appendingPathComponent("Voyages-\(UUID().uuidString).sqlite").path
        let description = PersistentStoreDescription.sqlite(path).withoutMigration()
        defer { try? description.destroyStore() }
        let container = try PersistentContainer.open(model: old, stores: [description])
        let context = container.makeContext()
        Voyage(context: context).harbour = "Rotterdam"
        try context.save()
        try container.close()

        let later = try PersistentContainer.open(model: new, stores: [description])
        let found = try later.makeContext().fetch(FetchRequest<FleetVersion2.Voyage>())
        #expect(found.map(\.harbour) == ["Rotterdam"])
        try later.close()
    }
}
