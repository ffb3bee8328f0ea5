import Duramen
import StoreTestSupport
import Testing

/// Two contexts change one end each of a one-to-one. In the store, both ends agree afterwards.
@MainActor
@Suite struct PartnersOfOthersTests {
    /// How the first of three objects loses the second again, and the third the first.
    private static let partings: [@MainActor @Sendable ([ManagedObject]) throws -> Void] =
        [
            { try $0[2].setValue($0[1], forKey: "next") },
            { try $0[0].setValue(nil, forKey: "next") },
        ]

    @Test(arguments: StoreKind.allCases, [false, true])
    func aPartnerThatOthersGaveIsLeftAtBothEnds(kind: StoreKind, isDeleted: Bool) throws {
        for part in Self.partings {
            let container = try kind.container(RuleGraph.model)
            let graph = RuleGraph(container.viewContext)
            let context = graph.context
            let nodes = try graph.insertNodes("a", "b", "c")
            try context.save()
            let ids = nodes.map(\.objectID)
            try nodes[0].setValue(nodes[1], forKey: "next")
            try container.saveElsewhere { other in
                let same = try ids.map { try other.existingObject(with: $0) }
                try same[0].setValue(same[2], forKey: "next")
            }
            context.processPendingChanges()
            // Both have a partner for the first. The context's own goes, and then the other.
            try part(nodes)
            if isDeleted {
                context.delete(nodes[2])
            } else {
                try nodes[2].setValue(nil, forKey: "previous")
            }
            try context.save()
            let stored = RuleGraph(container.makeContext())
            #expect(try stored.oneSided() == [] && stored.ghosts() == [])
            #expect(try stored.contents() == graph.contents())
        }
    }

    @Test(arguments: StoreKind.allCases, [[0, 1], [1, 0]])
    func partnersThatReturnTogetherAgree(kind: StoreKind, order: [Int]) throws {
        let container = try kind.container(RuleGraph.model)
        let graph = RuleGraph(container.viewContext)
        let context = graph.context
        context.mergePolicy = .mergeByPropertyObjectTrump
        let undoManager = ContextUndoManager()
        context.undoManager = undoManager
        let nodes = try graph.insertNodes("a", "b", "c")
        try nodes[0].setValue(nodes[2], forKey: "next")
        try context.save()
        let ids = nodes.map(\.objectID)
        try nodes[0].setValue(nil, forKey: "next")
        context.processPendingChanges()
        // Only one of the two ends is changed here.
        try container.saveElsewhere { other in
            let same = try ids.map { try other.existingObject(with: $0) }
            try same[0].setValue(same[1], forKey: "next")
        }
        context.processPendingChanges()
        for index in order { context.delete(nodes[index]) }
        context.processPendingChanges()
        try context.save()
        try context.undo()
        #expect(nodes.prefix(2).allSatisfy { !$0.isDeleted } && context.insertedObjects.count == 2)
        #expect(try graph.oneSided() == [])
        try context.save()
        let stored = RuleGraph(container.makeContext())
        #expect(try stored.oneSided() == [] && stored.contents() == graph.contents())
    }

    @Test(arguments: StoreKind.allCases)
    func takingAPartnerThatOthersGaveLeavesTheOwnOne(kind: StoreKind) throws {
        let container = try kind.container(RuleGraph.model)
        let graph = RuleGraph(container.viewContext)
        let context = graph.context
        context.mergePolicy = .mergeByPropertyObjectTrump
        let nodes = try graph.insertNodes("a", "b", "c", "d")
        try context.save()
        let ids = nodes.map(\.objectID)
        try nodes[0].setValue(nodes[1], forKey: "next")
        try container.saveElsewhere { other in
            let same = try ids.map { try other.existingObject(with: $0) }
            try same[0].setValue(same[2], forKey: "next")
        }
        context.processPendingChanges()
        // The third has the first as its partner, but is not the first one's.
        try nodes[3].setValue(nodes[2], forKey: "next")
        #expect(try nodes[0].value(forKey: "next") as? ManagedObject === nodes[1])
        #expect(try graph.oneSided() == [])
        try context.save()
        let stored = RuleGraph(container.makeContext())
        #expect(try stored.oneSided() == [] && stored.contents() == graph.contents())
    }

    @Test(arguments: StoreKind.allCases)
    func anOwnPartnerThatReturnsIsTakenFromWhomOthersGaveIt(kind: StoreKind) throws {
        let container = try kind.container(RuleGraph.model)
        let graph = RuleGraph(container.viewContext)
        let context = graph.context
        context.undoManager = ContextUndoManager()
        let nodes = try graph.insertNodes("a", "b")
        try nodes[0].setValue(nodes[0], forKey: "next")
        try context.save()
        let ids = nodes.map(\.objectID)
        try nodes[0].setValue(Int64(1), forKey: "rank")
        context.processPendingChanges()
        context.delete(nodes[0])
        context.processPendingChanges()
        try container.saveElsewhere { other in
            let same = try ids.map { try other.existingObject(with: $0) }
            try same[1].setValue(same[0], forKey: "next")
        }
        context.processPendingChanges()
        try context.undo()
        #expect(try graph.oneSided() == [])
        try context.save()
        let stored = RuleGraph(container.makeContext())
        #expect(try stored.oneSided() == [] && stored.contents() == graph.contents())
    }
}
