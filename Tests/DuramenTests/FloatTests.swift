import Duramen
import DuramenMemory
import Testing

@MainActor
struct FloatTests {
    private static func makeContext() throws -> ManagedObjectContext {
        let reading = EntityDescription(
            name: "Reading",
            attributes: [AttributeDescription("level", .float, default: .double(0.1))])
        return try PersistentContainer.open(
            model: ManagedObjectModel([reading]), stores: [.memory()]
        ).viewContext
    }

    @Test func aFloatIsFoundByTheValueThatItReadsAs() throws {
        let context = try Self.makeContext()
        let entity = try #require(
            context.persistentStoreCoordinator.managedObjectModel.entity(named: "Reading"))
        let byDefault = ManagedObject(entity: entity, context: context)
        let byKey = ManagedObject(entity: entity, context: context)
        try byKey.setValue(0.7, forKey: "level")
        for isSaved in [false, true] {
            for (object, level) in [(byDefault, Float(0.1)), (byKey, Float(0.7))] {
                #expect(try object.value(forKey: "level") as? Float == level)
                let request = FetchRequest<ManagedObject>(entityName: "Reading")
                    .where(.keyPath("level", .equal, level))
                #expect(try context.fetch(request) == [object], "saved: \(isSaved)")
            }
            try context.save()
        }
    }

    @Test func aNumberBeyondTheRangeOfFloatsIsRefusedAndTheOldOneKept() throws {
        let context = try Self.makeContext()
        let entity = try #require(
            context.persistentStoreCoordinator.managedObjectModel.entity(named: "Reading"))
        let object = ManagedObject(entity: entity, context: context)
        #expect(throws: ContextError.self) { try object.setValue(1e300, forKey: "level") }
        #expect(try object.value(forKey: "level") as? Float == 0.1)
    }
}
