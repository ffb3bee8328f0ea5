import Duramen
import DuramenMemory
import Foundation
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

    @Test func aDecimalTakesEveryFiniteNumber() throws {
        let price = EntityDescription(
            name: "Price", attributes: [AttributeDescription("amount", .decimal, isOptional: true)])
        let context = try PersistentContainer.open(
            model: ManagedObjectModel([price]), stores: [.memory()]
        ).viewContext
        let entity = try #require(
            context.persistentStoreCoordinator.managedObjectModel.entity(named: "Price"))
        let object = ManagedObject(entity: entity, context: context)
        for number: any Sendable in [1.5, Float(1.5)] {
            try object.setValue(number, forKey: "amount")
            #expect(try object.value(forKey: "amount") as? Decimal == 1.5)
        }
        for number: any Sendable in [Double.infinity, -Double.infinity, Float.infinity] {
            #expect(throws: ContextError.self) { try object.setValue(number, forKey: "amount") }
        }
    }
}
