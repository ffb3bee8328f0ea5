import Duramen
import DuramenMacros
import DuramenMemory
import Testing

@Managed
class Chest: ManagedObject {
    var name: String = ""
    override func willSave() { if name.isEmpty { name = "!" } }
}

@Managed
final class Drawer: Chest {
    var number: Int = 0
    override func awakeFromInsert() { number = 1 }
    override func didTurnIntoFault() {}
    #if DEBUG
    override func awake(fromSnapshotEvents events: SnapshotEvents) {}
    #endif
}

@Managed
final class Plank: ManagedObject {
    var length: Double = 0
    func didSave(_ other: Int) {}
}

@MainActor
struct HookMacroTests {
    @Test("A managed class says which hooks it overrides, its superclass's included")
    func hooks() {
        #expect(Chest.overriddenHooks(of: Chest.self) == [.willSave])
        #expect(
            Drawer.overriddenHooks(of: Drawer.self)
                == [.willSave, .awakeFromInsert, .turnIntoFault, .awakeFromSnapshotEvents])
        #expect(Plank.overriddenHooks(of: Plank.self) == [])
    }

    @Test("The hooks of managed classes are called")
    func calls() async throws {
        let container = try await PersistentContainer(
            model: ManagedObjectModel(Chest.self, Drawer.self), stores: [.memory()])
        let drawer = Drawer(context: container.viewContext)
        #expect(drawer.number == 1)
        try container.viewContext.save()
        #expect(drawer.name == "!")
    }
}
