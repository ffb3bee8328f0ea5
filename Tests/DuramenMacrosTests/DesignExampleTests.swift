import Duramen
import DuramenMacros
import DuramenMemory
import Foundation
import Testing

@Managed
final class Quake: ManagedObject {
    @Attribute(.unique) var code: String
    var magnitude: Double
    @Attribute(.indexed) var time: Date
    var note: String?
    @Relationship var region: Region?
}

@Managed
final class Region: ManagedObject {
    @Attribute(.unique) var name: String
    @Relationship(inverse: \Quake.region, deleteRule: .cascade) var quakes: ToMany<Quake>
}

@MainActor
struct DesignExampleTests {
    @Test func managedClassesAreInsertedSavedAndFetched() async throws {
        let container = try await PersistentContainer(
            model: ManagedObjectModel(Quake.self, Region.self), stores: [.memory()])
        let saved = try await container.performBackgroundTask { context in
            let honshu = Region(context: context)
            honshu.name = "Honshu"
            for number in 0..<20 {
                let quake = Quake(context: context)
                quake.code = "us\(number)"
                quake.magnitude = Double(number) / 2
                quake.time = Date(timeIntervalSinceReferenceDate: Double(number))
                if number % 2 == 0 { quake.region = honshu }
            }
            try context.save()
            return 20
        }
        #expect(saved == 20)
        let strong = try container.viewContext.fetch(
            FetchRequest<Quake>().where { $0.magnitude >= 6 && $0.region.name == "Honshu" }
                .sorted(by: \.time, .descending).limit(3))
        #expect(strong.map(\.code) == ["us18", "us16", "us14"])
        #expect(strong[0].region?.quakes.count == 10)
        #expect(strong[0].note == nil)
    }

    @Test func aModelOfClassesEqualsTheSameModelByHand() throws {
        let byClasses = try ManagedObjectModel(Quake.self, Region.self)
        let byHand = try ManagedObjectModel([
            EntityDescription(
                name: "Region", attributes: [AttributeDescription("name", .string)],
                relationships: [
                    .toMany(
                        "quakes", destination: "Quake", deleteRule: .cascade, inverse: "region")
                ], uniquenessConstraints: [["name"]]),
            EntityDescription(
                name: "Quake",
                attributes: [
                    AttributeDescription("code", .string),
                    AttributeDescription("magnitude", .double), AttributeDescription("time", .date),
                    AttributeDescription("note", .string, isOptional: true),
                ], relationships: [.toOne("region", destination: "Region")],
                uniquenessConstraints: [["code"]]),
        ])
        #expect(byClasses.versionChecksum == byHand.versionChecksum)
    }
}
