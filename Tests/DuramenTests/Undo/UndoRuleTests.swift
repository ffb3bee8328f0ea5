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
        // The rule `noAction` keeps the reference to the deleted node.
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
    func aMemberThatCameAndWentWithItsOwnerInOneEventIsNone(kind: StoreKind) throws {
        let (container, graph) = try graph(kind)
        let context = container.viewContext
        let (node, hub) = (graph.insert("Node"), graph.insert("Hub"))
        context.processPendingChanges()
        try hub.setValue(node, forKey: "guardian")
        let late = graph.insert("Hub")
        try late.setValue("late", forKey: "name")
        try late.setValue(node, forKey: "guardian")
        context.delete(node)
        context.processPendingChanges()
        try context.undo()
        #expect(try !node.isDeleted && graph.all("Hub") == [hub])
        #expect(try hub.value(forKey: "guardian") == nil)
        #expect(try (node.value(forKey: "wards") as? [ManagedObject])?.isEmpty == true)
    }

    @Test(arguments: StoreKind.allCases, [false, true])
    func aNewMemberThatWentWithItsOwnerIsNoneWhereItCameInThatEvent(
        kind: StoreKind, hasPermanentIDs: Bool
    ) throws {
        let (container, graph) = try graph(kind)
        let context = container.viewContext
        let (node, hub) = (graph.insert("Node"), graph.insert("Hub"))
        if hasPermanentIDs { try context.obtainPermanentIDs(for: [node, hub]) }
        try node.setValue(hub, forKey: "hub")
        context.processPendingChanges()
        try hub.setValue(node, forKey: "guardian")
        // The rule of the node takes the hub, which is in no store.
        context.delete(node)
        context.processPendingChanges()
        #expect(try graph.all("Hub").isEmpty)
        try context.undo()
        #expect(try graph.all("Hub") == [hub])
        #expect(try hub.value(forKey: "guardian") == nil)
        #expect(try (node.value(forKey: "wards") as? [ManagedObject])?.isEmpty == true)
    }

    @Test(arguments: StoreKind.allCases)
    func rulesThatAreAppliedAgainLeaveWhatLeadsElsewhereByNow(kind: StoreKind) throws {
        let (container, graph) = try graph(kind)
        let context = container.viewContext
        let (gone, node, other) = (
            graph.insert("Node"), graph.insert("Node"), graph.insert("Node")
        )
        for (index, object) in [gone, node, other].enumerated() {
            try object.setValue("Node \(index)", forKey: "name")
        }
        let leaf = graph.insert("Leaf")
        try leaf.setValue(gone, forKey: "holder")
        try node.setValue(gone, forKey: "next")
        try context.save()
        context.delete(gone)
        context.processPendingChanges()
        try node.setValue(other, forKey: "next")
        context.processPendingChanges()
        context.delete(leaf)
        context.processPendingChanges()
        // The leaf refers to the deleted node again. The node's rules are applied once more.
        try context.undo()
        #expect(try node.value(forKey: "next") as? ManagedObject === other)
        #expect(try other.value(forKey: "previous") as? ManagedObject === node)
    }

    @Test(arguments: StoreKind.allCases)
    func redoLeavesWhatOthersLedADeletedObjectTo(kind: StoreKind) throws {
        let (container, graph) = try graph(kind)
        let context = container.viewContext
        let (hub, node) = (graph.insert("Hub"), graph.insert("Node"))
        try context.save()
        let other = container.makeContext(ContextOptions(name: "other"))
        context.delete(node)
        context.processPendingChanges()
        let theirs = try other.existingObject(with: node.objectID)
        try theirs.setValue(other.existingObject(with: hub.objectID), forKey: "hub")
        try other.save()
        context.processPendingChanges()
        try context.undo()
        #expect(try node.value(forKey: "hub") as? ManagedObject === hub)
        try context.redo()
        #expect(node.isDeleted && !hub.isDeleted)
        #expect(try graph.all("Hub") == [hub])
    }

    @Test(arguments: StoreKind.allCases)
    func whatRulesTookOfOthersComesBackWithTheOwnerAlone(kind: StoreKind) throws {
        let (container, graph) = try graph(kind)
        let context = container.viewContext
        let (hub, node) = (graph.insert("Hub"), graph.insert("Node"))
        try context.save()
        context.delete(hub)
        context.processPendingChanges()
        let other = RuleGraph(
            container.makeContext(ContextOptions(name: "other")), countingFrom: 1_000)
        let newcomer = other.insert("Node")
        try newcomer.setValue(other.all("Hub")[0], forKey: "hub")
        try other.context.save()
        context.processPendingChanges()
        // The rules of the hub, and of what they took, are applied again.
        for name in ["next", "later"] {
            let next = other.insert("Node")
            try next.setValue(name, forKey: "name")
            try next.setValue(other.all("Hub")[0], forKey: "hub")
            try next.setValue([newcomer], forKey: "friends")
            try other.context.save()
            context.processPendingChanges()
        }
        try node.setValue(Int64(1), forKey: "rank")
        context.processPendingChanges()
        // The rules took the newcomers.
        #expect(try graph.all("Node") == [node])
        try context.undo()
        #expect(try graph.all("Node") == [node] && graph.all("Hub").isEmpty)
        try context.undo()
        #expect(try graph.contents() == other.contents())
        try context.redo()
        #expect(try graph.all("Node") == [node] && graph.all("Hub").isEmpty)
        try context.undo()
        try context.save()
        let reader = RuleGraph(container.makeContext(ContextOptions(name: "reader")))
        #expect(try reader.contents() == graph.contents())
        #expect(try reader.all("Node").count == 4)
    }

    @Test(arguments: StoreKind.allCases, [false, true])
    func aPairThatOthersAddToWhatIsDeletedHereIsHiddenUntilItComesBack(
        kind: StoreKind, isArranged: Bool
    ) throws {
        let (container, graph) = try graph(kind)
        let context = container.viewContext
        let (first, second) = (graph.insert("Node"), graph.insert("Node"))
        try second.setValue("second", forKey: "name")
        let third = graph.insert("Node")
        try third.setValue("third", forKey: "name")
        try first.setValue([first, third], forKey: "picks")
        try context.save()
        context.delete(second)
        context.processPendingChanges()
        if isArranged { try first.setValue([third, first], forKey: "picks") }
        context.processPendingChanges()
        let other = RuleGraph(container.makeContext(ContextOptions(name: "other")))
        let nodes = try other.all("Node")
        try nodes[0].setValue(nodes, forKey: "picks")
        try other.context.save()
        context.processPendingChanges()
        let own = isArranged ? [third, first] : [first, third]
        #expect(try first.value(forKey: "picks") as? [ManagedObject] == own)
        if isArranged { try context.undo() }
        try context.undo()
        #expect(try graph.contents() == other.contents())
        // An order that was given and taken back counts as a change until it is saved.
        #expect(isArranged || !context.hasChanges)
        context.delete(second)
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

    @Test(arguments: StoreKind.allCases)
    func anOwnerThatIsMadeAgainHasTheMembersThatOthersGaveItBeforeItsEnd(kind: StoreKind) throws {
        let (container, graph) = try graph(kind)
        let (context, node) = (container.viewContext, graph.insert("Node"))
        try context.save()
        context.delete(node)
        context.processPendingChanges()
        let other = RuleGraph(container.makeContext(ContextOptions(name: "other")))
        try other.insert("Leaf").setValue(
            other.context.existingObject(with: node.objectID), forKey: "holder")
        try other.context.save()
        context.processPendingChanges()
        // The rule `noAction` keeps the reference to the deleted node.
        try context.save()
        try context.undo()
        #expect(try node.value(forKey: "leaves") as? [ManagedObject] == graph.all("Leaf"))
        #expect(try graph.all("Leaf").count == 1)
        try context.save()
        let reader = RuleGraph(container.makeContext(ContextOptions(name: "reader")))
        #expect(try reader.contents() == graph.contents())
    }

    @Test(arguments: StoreKind.allCases)
    func whatOthersLedToADeletedEndKeepsThatAndIsNotReachedByRedo(kind: StoreKind) throws {
        let (container, graph) = try graph(kind)
        let (context, first) = (container.viewContext, graph.insert("Node"))
        let second = graph.insert("Node")
        try second.setValue("second", forKey: "name")
        try context.save()
        let new = graph.insert("Node")
        try new.setValue("new", forKey: "name")
        try first.setValue(new, forKey: "next")
        context.processPendingChanges()
        let other = container.makeContext(ContextOptions(name: "other"))
        try other.existingObject(with: first.objectID).setValue(
            other.existingObject(with: second.objectID), forKey: "next")
        try other.save()
        context.processPendingChanges()
        let before = try graph.contents()
        #expect(try second.value(forKey: "previous") as? ManagedObject === first)
        // The rule takes the new one with it.
        context.delete(first)
        context.processPendingChanges()
        #expect(try graph.all("Node") == [second])
        try context.undo()
        #expect(try graph.contents() == before)
        try context.redo()
        #expect(try graph.all("Node") == [second])
    }
}
