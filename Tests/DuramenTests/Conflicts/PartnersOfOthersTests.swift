import Duramen
import StoreTestSupport
import Testing

/// Two contexts change one end each of a one-to-one. In the store, both ends agree afterwards.
@MainActor
@Suite struct PartnersOfOthersTests {
    /// A context with saved nodes, and others that write to its store.
    @MainActor private struct Desk {
        let container: PersistentContainer
        let graph: RuleGraph
        let nodes: [ManagedObject]

        var context: ManagedObjectContext { graph.context }

        /// - Parameters:
        ///   - kind: The kind of the store.
        ///   - names: The nodes.
        ///   - prepare: What the nodes have when they are saved first.
        init(
            _ kind: StoreKind, _ names: String...,
            prepare: ([ManagedObject]) throws -> Void = { _ in }
        ) throws {
            container = try kind.container(RuleGraph.model)
            let graph = RuleGraph(container.viewContext)
            self.graph = graph
            nodes = try names.flatMap { try graph.insertNodes($0) }
            try prepare(nodes)
            try graph.context.save()
            graph.context.mergePolicy = .mergeByPropertyObjectTrump
            graph.context.undoManager = ContextUndoManager()
        }

        /// Others save something, and the context merges it.
        func elsewhere(_ change: sending ([ManagedObject]) throws -> Void) throws {
            let ids = nodes.map(\.objectID)
            try container.saveElsewhere { other in
                try change(ids.map { try other.existingObject(with: $0) })
            }
            context.processPendingChanges()
        }

        /// Saves, and compares the two ends of what is stored with each other and with the context.
        func saveAndCheck() throws {
            try context.save()
            let stored = RuleGraph(container.makeContext())
            #expect(try stored.oneSided() == [] && stored.ghosts() == [])
            #expect(try stored.contents() == graph.contents())
        }
    }

    /// How the first of three objects loses the second again, and the third the first.
    private static let partings: [@MainActor @Sendable ([ManagedObject]) throws -> Void] =
        [
            { try $0[2].setValue($0[1], forKey: "next") },
            { try $0[0].setValue(nil, forKey: "next") },
        ]

    @Test(arguments: StoreKind.allCases, [false, true])
    func aPartnerThatOthersGaveIsLeftAtBothEnds(kind: StoreKind, isDeleted: Bool) throws {
        for part in Self.partings {
            let desk = try Desk(kind, "a", "b", "c")
            desk.context.mergePolicy = .error
            let nodes = desk.nodes
            try nodes[0].setValue(nodes[1], forKey: "next")
            try desk.elsewhere { try $0[0].setValue($0[2], forKey: "next") }
            // Both have a partner for the first. The context's own goes, and then the other.
            try part(nodes)
            if isDeleted {
                desk.context.delete(nodes[2])
            } else {
                try nodes[2].setValue(nil, forKey: "previous")
            }
            try desk.saveAndCheck()
        }
    }

    @Test(arguments: StoreKind.allCases, [false, true])
    func aPartnerWithOlderValuesIsLeftToo(kind: StoreKind, isMerged: Bool) throws {
        let desk = try Desk(kind, "a", "b", "c")
        let nodes = desk.nodes
        desk.context.mergePolicy = .error
        desk.context.automaticallyMergesChangesFromParent = false
        try desk.elsewhere { try $0[0].setValue($0[1], forKey: "next") }
        // Only one end knows what others saved.
        try desk.context.refresh(nodes[1], mergeChanges: false)
        try nodes[2].setValue(nodes[1], forKey: "next")
        if isMerged {
            desk.context.automaticallyMergesChangesFromParent = true
            desk.context.processPendingChanges()
        }
        try desk.saveAndCheck()
        #expect(try nodes[1].value(forKey: "previous") as? ManagedObject === nodes[2])
    }

    @Test(arguments: StoreKind.allCases, [[0, 1], [1, 0]])
    func partnersThatReturnTogetherAgree(kind: StoreKind, order: [Int]) throws {
        let desk = try Desk(kind, "a", "b", "c") { try $0[0].setValue($0[2], forKey: "next") }
        // Only one of the two ends is changed here.
        try desk.nodes[0].setValue(nil, forKey: "next")
        desk.context.processPendingChanges()
        try desk.elsewhere { try $0[0].setValue($0[1], forKey: "next") }
        for index in order { desk.context.delete(desk.nodes[index]) }
        desk.context.processPendingChanges()
        try desk.context.save()
        try desk.context.undo()
        #expect(desk.context.insertedObjects.count == 2)
        #expect(try desk.graph.oneSided() == [])
        try desk.saveAndCheck()
    }

    @Test(arguments: StoreKind.allCases)
    func takingAPartnerThatOthersGaveLeavesTheOwnOne(kind: StoreKind) throws {
        let desk = try Desk(kind, "a", "b", "c", "d")
        let nodes = desk.nodes
        try nodes[0].setValue(nodes[1], forKey: "next")
        try desk.elsewhere { try $0[0].setValue($0[2], forKey: "next") }
        // The third has the first as its partner, but is not the first one's.
        try nodes[3].setValue(nodes[2], forKey: "next")
        #expect(try nodes[0].value(forKey: "next") as? ManagedObject === nodes[1])
        #expect(try desk.graph.oneSided() == [])
        try desk.saveAndCheck()
    }

    @Test(arguments: StoreKind.allCases, [false, true])
    func anEditThatOthersMadeAndTookBackHoldsForBothEnds(kind: StoreKind, isGiven: Bool) throws {
        let desk = try Desk(kind, "a", "b", "c", "d")
        let nodes = desk.nodes
        try nodes[0].setValue(nodes[1], forKey: "next")
        try desk.elsewhere { try $0[0].setValue($0[2], forKey: "next") }
        // The third has it already, so that only the first is edited.
        try nodes[0].setValue(nodes[2], forKey: "next")
        try desk.elsewhere { same in
            if isGiven {
                try same[3].setValue(same[2], forKey: "next")
            } else {
                try same[0].setValue(nil, forKey: "next")
            }
        }
        try desk.saveAndCheck()
        #expect(try nodes[0].value(forKey: "next") as? ManagedObject === nodes[2])
    }

    @Test(arguments: StoreKind.allCases)
    func anOwnPartnerThatReturnsIsTakenFromWhomOthersGaveIt(kind: StoreKind) throws {
        let desk = try Desk(kind, "a", "b") { try $0[0].setValue($0[0], forKey: "next") }
        try desk.nodes[0].setValue(Int64(1), forKey: "rank")
        desk.context.processPendingChanges()
        desk.context.delete(desk.nodes[0])
        desk.context.processPendingChanges()
        try desk.elsewhere { try $0[1].setValue($0[0], forKey: "next") }
        try desk.context.undo()
        #expect(try desk.graph.oneSided() == [])
        try desk.saveAndCheck()
    }

    /// The object got its partner in the step that deleted it. Since then, a save let the context
    /// forget the partner.
    @Test(arguments: StoreKind.allCases)
    func anObjectReturnsWithoutThePartnerThatOthersDeleted(kind: StoreKind) throws {
        let desk = try Desk(kind)
        let (object, partner) = (desk.graph.insert("Hub"), desk.graph.insert("Hub"))
        try desk.context.save()
        desk.context.processPendingChanges()
        try object.setValue(partner, forKey: "twin")
        desk.context.delete(object)
        desk.context.processPendingChanges()
        let id = partner.objectID
        try desk.container.saveElsewhere { other in
            other.delete(try other.existingObject(with: id))
        }
        desk.context.processPendingChanges()
        try desk.context.save()
        try desk.context.undo()
        try desk.saveAndCheck()
        #expect(try desk.graph.all("Hub") == [object])
    }
}
