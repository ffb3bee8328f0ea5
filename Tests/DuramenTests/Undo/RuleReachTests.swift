import Duramen
import StoreTestSupport
import Testing

/// Delete rules reach what an object led to when it was deleted, wherever and whenever the deletion
/// is made again: by redo, and in a parent.
@MainActor
@Suite(.serialized)
struct RuleReachTests {
    /// Groups delete their people, whom they share; a person deletes its home.
    private static let model: ManagedObjectModel = {
        do {
            return try ManagedObjectModel([
                EntityDescription(
                    name: "Group",
                    relationships: [
                        .toMany(
                            "people", destination: "Person", deleteRule: .cascade,
                            inverse: "groups")
                    ]),
                EntityDescription(
                    name: "Person",
                    relationships: [
                        .toMany("groups", destination: "Group"),
                        .toOne(
                            "home", destination: "Home", deleteRule: .cascade, inverse: "people"),
                    ]),
                EntityDescription(
                    name: "Home",
                    relationships: [.toMany("people", destination: "Person", isOrdered: true)]),
            ])
        } catch {
            fatalError("\(error)")
        }
    }()

    private struct Desk {
        let context: ManagedObjectContext
        let group, first, second, home: ManagedObject
    }

    /// A group of two people in one home, saved, with an undo manager.
    private func desk(_ kind: StoreKind) throws -> (PersistentContainer, Desk) {
        let container = try kind.container(Self.model)
        let context = container.viewContext
        func make(_ name: String) throws -> ManagedObject {
            ManagedObject(entity: try #require(Self.model.entity(named: name)), context: context)
        }
        let desk = Desk(
            context: context, group: try make("Group"), first: try make("Person"),
            second: try make("Person"), home: try make("Home"))
        try desk.group.setValue([desk.first, desk.second], forKey: "people")
        try desk.home.setValue([desk.first, desk.second], forKey: "people")
        try context.save()
        context.undoManager = ContextUndoManager()
        return (container, desk)
    }

    private func count(_ name: String, _ context: ManagedObjectContext) throws -> Int {
        try context.count(for: FetchRequest<ManagedObject>(entityName: name))
    }

    @Test(arguments: StoreKind.allCases)
    func redoDeletesWhatTheEventDeletedAndNoMore(kind: StoreKind) throws {
        let (container, desk) = try desk(kind)
        let context = desk.context
        try desk.first.setValue(nil, forKey: "home")
        context.delete(desk.first)
        context.processPendingChanges()
        try desk.group.setValue([ManagedObject](), forKey: "people")
        context.delete(desk.group)
        context.processPendingChanges()
        #expect(!desk.home.isDeleted && !desk.second.isDeleted)
        for _ in 0..<2 {
            try context.undo()
            try context.undo()
            #expect(try desk.first.value(forKey: "home") as? ManagedObject === desk.home)
            #expect(
                try Set(desk.group.value(forKey: "people") as? [ManagedObject] ?? [])
                    == [desk.first, desk.second])
            try context.redo()
            try context.redo()
            #expect(desk.first.isDeleted && desk.group.isDeleted)
            #expect(!desk.home.isDeleted && !desk.second.isDeleted)
        }
        try context.save()
        let reader = container.makeContext(ContextOptions(name: "reader"))
        #expect(try ["Group", "Person", "Home"].map { try count($0, reader) } == [0, 1, 1])
    }

    @Test(arguments: StoreKind.allCases)
    func redoDeletesWhatOthersAddedMeanwhile(kind: StoreKind) throws {
        let (container, desk) = try desk(kind)
        let context = desk.context
        context.delete(desk.group)
        context.processPendingChanges()
        try context.undo()
        let other = container.makeContext(ContextOptions(name: "other"))
        let group = try other.existingObject(with: desk.group.objectID)
        let person = ManagedObject(
            entity: try #require(Self.model.entity(named: "Person")), context: other)
        try person.setValue([group], forKey: "groups")
        try other.save()
        context.processPendingChanges()
        try context.redo()
        try context.save()
        #expect(try ["Group", "Person", "Home"].map { try count($0, context) } == [0, 0, 0])
    }

    @Test(arguments: StoreKind.allCases)
    func aParentDeletesWhatItsChildDeletedAndNoMore(kind: StoreKind) throws {
        let (_, desk) = try desk(kind)
        let child = ManagedObjectContext(parent: desk.context)
        let group = try child.existingObject(with: desk.group.objectID)
        let first = try child.existingObject(with: desk.first.objectID)
        try first.setValue(nil, forKey: "home")
        child.delete(first)
        try group.setValue([ManagedObject](), forKey: "people")
        child.delete(group)
        try child.save()
        #expect(desk.first.isDeleted && desk.group.isDeleted)
        #expect(!desk.home.isDeleted && !desk.second.isDeleted)
        #expect(try desk.home.value(forKey: "people") as? [ManagedObject] == [desk.second])
        try desk.context.save()
        #expect(
            try ["Group", "Person", "Home"].map { try count($0, desk.context) } == [0, 1, 1])
    }

    @Test(arguments: StoreKind.allCases)
    func whatOthersDeletedLeavesTheOrderThatAnUndoGives(kind: StoreKind) throws {
        let (container, desk) = try desk(kind)
        let context = desk.context
        try desk.first.setValue(nil, forKey: "home")
        context.processPendingChanges()
        let other = container.makeContext(ContextOptions(name: "other"))
        let first = try other.existingObject(with: desk.first.objectID)
        // The rule would take the home too.
        try first.setValue(nil, forKey: "home")
        other.delete(first)
        try other.save()
        context.processPendingChanges()
        #expect(!desk.first.isDeleted)
        try context.undo()
        #expect(try desk.home.value(forKey: "people") as? [ManagedObject] == [desk.second])
        try context.save()
        let reader = container.makeContext(ContextOptions(name: "reader"))
        let home = try reader.existingObject(with: desk.home.objectID)
        #expect(
            try (home.value(forKey: "people") as? [ManagedObject])?.map(\.objectID)
                == [desk.second.objectID])
    }

    @Test(arguments: StoreKind.allCases)
    func whatRulesTookOfOthersComesBackInItsOrder(kind: StoreKind) throws {
        let container = try kind.container(RuleGraph.model)
        let graph = RuleGraph(container.viewContext)
        let (context, hub) = (graph.context, graph.insert("Hub"))
        try context.save()
        context.undoManager = ContextUndoManager()
        context.delete(hub)
        context.processPendingChanges()
        let other = RuleGraph(container.makeContext(ContextOptions(name: "other")))
        let owner = try other.context.existingObject(with: hub.objectID)
        for name in ["first", "second", "third"] {
            let node = other.insert("Node")
            try node.setValue(name, forKey: "name")
            try node.setValue(owner, forKey: "hub")
        }
        try other.context.save()
        context.processPendingChanges()
        #expect(try graph.all("Node").isEmpty)
        try context.undo()
        #expect(try graph.contents() == other.contents())
        #expect(!context.hasChanges)
    }
}
