import Duramen
import DuramenMemory
import Testing

/// Mistakes of the program that the compiler cannot see stop it, in release too.
struct ExitTests {
    @Test func relatingObjectsOfTwoContextsTraps() async {
        await #expect(processExitsWith: .failure) { @MainActor in
            let container = try makeContainer()
            let quake = container.viewContext.insertQuake("us1")
            quake.region = container.makeContext().insertRegion("North")
        }
    }

    @Test func puttingAForeignObjectIntoAToManyTraps() async {
        await #expect(processExitsWith: .failure) { @MainActor in
            let container = try makeContainer()
            let other = container.makeContext()
            let tag = other.insertTag("felt")
            container.viewContext.insertQuake("us1").tags.insert(tag)
        }
    }

    @Test func deletingAForeignObjectTraps() async {
        await #expect(processExitsWith: .failure) { @MainActor in
            let container = try makeContainer()
            let other = container.makeContext()
            container.viewContext.delete(other.insertQuake("us1"))
        }
    }

    @Test func refreshingAForeignObjectTraps() async {
        await #expect(processExitsWith: .failure) { @MainActor in
            let container = try makeContainer()
            let other = container.makeContext()
            try? container.viewContext.refresh(other.insertQuake("us1"), mergeChanges: false)
        }
    }

    @Test func insertingAnAbstractEntityTraps() async {
        await #expect(processExitsWith: .failure) { @MainActor in
            let model = try ManagedObjectModel([
                EntityDescription(name: "Thing", isAbstract: true),
                EntityDescription(name: "Stone", superentity: "Thing"),
            ])
            let container = try PersistentContainer.open(model: model, stores: [.memory()])
            guard let thing = model.entity(named: "Thing") else { return }
            _ = ManagedObject(entity: thing, context: container.viewContext)
        }
    }

    @Test func aClassThatIsNotInTheModelTraps() async {
        await #expect(processExitsWith: .failure) { @MainActor in
            let model = try ManagedObjectModel(Tag.self, Quake.self, Region.self, Station.self)
            let container = try PersistentContainer.open(model: model, stores: [.memory()])
            _ = OceanStation(context: container.viewContext)
        }
    }

    @Test func anEntityOfAnotherModelTraps() async {
        await #expect(processExitsWith: .failure) { @MainActor in
            let container = try makeContainer()
            guard let owner = Family.model.entity(named: "Owner") else { return }
            _ = ManagedObject(entity: owner, context: container.viewContext)
        }
    }

    @Test func changingAnObjectAfterItsContextTraps() async {
        await #expect(processExitsWith: .failure) { @MainActor in
            let container = try makeContainer()
            var context: ManagedObjectContext? = container.makeContext()
            let quake = context?.insertQuake("us1")
            try context?.save(isolation: nil)
            context = nil
            quake?.magnitude = 5
        }
    }

    @Test func firingAFaultAfterItsContextTraps() async {
        await #expect(processExitsWith: .failure) { @MainActor in
            let container = try makeContainer()
            try container.saveElsewhere { _ = $0.insertQuake("us1", in: $0.insertRegion("North")) }
            var context: ManagedObjectContext? = container.makeContext()
            let region = try context?.fetch(FetchRequest<Quake>(), isolation: nil).first?.region
            context = nil
            _ = region?.name
        }
    }

    @Test func aCircleOfWaitingContextsTraps() async {
        await #expect(processExitsWith: .failure) {
            let container = try makeContainer()
            let first = container.newBackgroundContext(ContextOptions(name: "first"))
            let second = container.newBackgroundContext(ContextOptions(name: "second"))
            first.performAndWait { _ in
                second.performAndWait { _ in first.performAndWait { _ in } }
            }
        }
    }

    @Test func theIDOfAnotherStoreAsAnObjectTraps() async {
        await #expect(processExitsWith: .failure) { @MainActor in
            let other = try makeContainer().viewContext
            let quake = other.insertQuake("us1")
            try other.save()
            _ = try makeContainer().viewContext.object(with: quake.objectID)
        }
    }
}
