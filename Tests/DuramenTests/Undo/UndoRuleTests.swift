import Duramen
import StoreTestSupport
import Testing

/// Deletions by rules that are taken back when what is stored, and what others saved, say something
/// else than the objects here.
@MainActor
@Suite(.serialized)
struct UndoRuleTests {
    private func graph(_ kind: StoreKind) throws -> (PersistentContainer, RuleGraph) {
        let container = try kind.container(RuleGraph.model)
        container.viewContext.undoManager = ContextUndoManager()
        return (container, RuleGraph(container.viewContext))
    }

    @Test(arguments: StoreKind.allCases)
    func anOwnerThatWasMadeAgainTwiceHasItsMembers(kind: StoreKind) throws {
        let (container, graph) = try graph(kind)
        let context = container.viewContext
        let node = graph.insert("Node")
        let leaf = graph.insert("Leaf")
        try leaf.setValue(node, forKey: "holder")
        try context.save()
        context.delete(node)
        // The rule lets the leaf lead to what is gone.
        try context.save()
        try context.undo()
        try context.redo()
        try context.undo()
        #expect(try leaf.value(forKey: "holder") as? ManagedObject === node)
        #expect(try node.value(forKey: "leaves") as? [ManagedObject] == [leaf])
        try context.save()
        let reader = RuleGraph(container.makeContext(ContextOptions(name: "reader")))
        #expect(try reader.contents() == graph.contents())
    }

    @Test(arguments: StoreKind.allCases)
    func aOneToOneThatOthersSavedStandsBesideAnEditHere(kind: StoreKind) throws {
        let (container, graph) = try graph(kind)
        let context = container.viewContext
        let (first, second, end) = (
            graph.insert("Node"), graph.insert("Node"), graph.insert("Node")
        )
        for (object, name) in [(first, "first"), (second, "second"), (end, "end")] {
            try object.setValue(name, forKey: "name")
        }
        try context.save()
        try first.setValue(end, forKey: "next")
        context.processPendingChanges()
        let other = container.makeContext(ContextOptions(name: "other"))
        let nodes = try RuleGraph(other).all("Node")
        try nodes[2].setValue(nodes[0], forKey: "next")
        try other.save()
        context.processPendingChanges()
        let before = try graph.contents()
        #expect(try second.value(forKey: "next") as? ManagedObject === end)
        // The rule takes the end with it.
        context.delete(second)
        context.processPendingChanges()
        #expect(end.isDeleted)
        try context.undo()
        #expect(try graph.contents() == before)
        #expect(!second.hasChanges)
    }
}
