import Duramen
import DuramenMacros
import DuramenMemory
import Testing

/// A booth of a fair, of which each hall has one number once.
@Managed(unique: [["hall", "number"]])
final class Booth: ManagedObject {
    var number: Int = 0
    @Relationship var hall: FairHall?
}

@Managed
final class FairHall: ManagedObject {
    var name: String = ""
}

@Suite @MainActor struct ReferenceConstraintTests {
    @Test func aToOneMayBePartOfWhatIsUnique() throws {
        let container = try PersistentContainer.open(
            model: ManagedObjectModel(Booth.self, FairHall.self), stores: [.memory()])
        let context = container.viewContext
        let halls = [FairHall(context: context), FairHall(context: context)]
        for hall in halls { Booth(context: context).hall = hall }
        try context.save()
        let second = Booth(context: context)
        second.hall = halls[0]
        let error = #expect(throws: SaveConflictError.self) { try context.save() }
        #expect(error?.conflicts.first.map { "\($0)" }?.contains("the same hall, number") == true)
        second.number = 1
        try context.save()
    }
}
