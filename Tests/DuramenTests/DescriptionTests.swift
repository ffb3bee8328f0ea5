import Duramen
import DuramenMemory
import DuramenSQLite
import StoreTestSupport
import Testing

/// What `print` shows of containers, contexts and objects.
@MainActor
struct DescriptionTests {
    private let folder = TemporaryFolder()

    private func container() throws -> PersistentContainer {
        try PersistentContainer.open(
            name: "Seismology", model: Seismology.model,
            stores: [.sqlite(folder.file("quakes.sqlite"))],
            defaultOptions: ContextOptions(name: "view"))
    }

    @Test func aContainerShowsItsNameItsStoresAndItsEntities() throws {
        let container = try container()
        let count = container.managedObjectModel.entities.count
        #expect(
            "\(container)"
                == "<PersistentContainer 'Seismology' on '\(folder.file("quakes.sqlite"))': \(count) entities>"
        )
        try container.close()
    }

    @Test func aContextShowsItsNameItsStoresAndItsCounts() throws {
        let container = try container()
        let context = container.viewContext
        let place = "on '\(folder.file("quakes.sqlite"))'"
        let quakes = (1...3).map { context.insertQuake("us\($0)") }
        #expect(
            "\(context)"
                == "<ManagedObjectContext 'view' \(place): 3 registered, 3 inserted, 0 updated, 0 deleted>"
        )
        try context.save()
        quakes[0].magnitude = 7
        context.delete(quakes[1])
        let faults = container.persistentStoreCoordinator.faultCount
        #expect(
            "\(context)"
                == "<ManagedObjectContext 'view' \(place): 3 registered, 0 inserted, 1 updated, 1 deleted>"
        )
        let child = ManagedObjectContext(parent: context)
        #expect(
            "\(child)".hasPrefix("<ManagedObjectContext unnamed, a child \(place): 0 registered"))
        #expect(container.persistentStoreCoordinator.faultCount == faults)
        try container.close()
    }

    @Test func aBackgroundContextShowsItsNameAndItsStores() async throws {
        let container = try container()
        let background = container.newBackgroundContext(ContextOptions(name: "import"))
        #expect(
            "\(background)"
                == "<BackgroundContext 'import' on '\(folder.file("quakes.sqlite"))'>")
        let shown = await background.perform { context in
            _ = context.insertQuake("us1")
            return "\(context)"
        }
        #expect(shown.contains("'import'") && shown.contains(": 1 registered, 1 inserted, "))
        try container.close()
    }

    @Test func anObjectShowsItsIDItsStoreAndItsChanges() throws {
        let container = try container()
        let context = container.viewContext
        let quake = context.insertQuake("us1")
        #expect("\(quake)" == "<Quake \(quake.objectID) not saved yet, inserted>")
        try context.save()
        let head = "Quake Quake/p1 in '\(folder.file("quakes.sqlite"))'"
        #expect("\(quake)" == "<\(head)>")
        quake.magnitude = 7
        #expect("\(quake)" == "<\(head), updated: 1 property>")
        quake.depth = 3
        quake.region = Region(context: context)
        quake.tags.insert(Tag(context: context))
        #expect("\(quake)" == "<\(head), updated: 4 properties>")
        context.delete(quake)
        #expect("\(quake)" == "<\(head), deleted>")
        context.rollback()
        try context.refresh(quake, mergeChanges: false)
        #expect("\(quake)" == "<\(head), fault>")
        #expect(quake.isFault)
        try container.close()
    }

    @Test func anObjectCanBePrintedAfterItsContext() throws {
        let container = try container()
        var context: ManagedObjectContext? = container.makeContext()
        let quake = try #require(context).insertQuake("us1")
        context = nil
        #expect("\(quake)".hasSuffix(" of a context that is gone, inserted>"))
        try container.close()
    }
}
