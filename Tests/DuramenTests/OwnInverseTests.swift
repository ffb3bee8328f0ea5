import Duramen
import Testing

/// A one-to-one that is its own inverse, with objects that lead to themselves.
@MainActor
@Suite struct OwnInverseTests {
    @Test(arguments: StoreKind.allCases)
    func bothSidesKnowEachOtherAfterALoopEnds(kind: StoreKind) throws {
        let container = try kind.container(RuleGraph.model)
        let context = container.viewContext
        let graph = RuleGraph(context)
        let (first, second) = (graph.insert("Hub"), graph.insert("Hub"))
        func twins(_ context: ManagedObjectContext) throws -> [ManagedObjectID?] {
            try [first, second].map {
                let hub = try context.existingObject(with: $0.objectID)
                return (try hub.value(forKey: "twin") as? ManagedObject)?.objectID
            }
        }
        func check(_ expected: [ManagedObject?]) throws {
            #expect(try twins(context) == expected.map { $0?.objectID })
            try context.save()
            #expect(try twins(context) == expected.map { $0?.objectID })
            #expect(try twins(container.makeContext()) == expected.map { $0?.objectID })
        }
        try first.setValue(first, forKey: "twin")
        try second.setValue(second, forKey: "twin")
        try check([first, second])
        try first.setValue(second, forKey: "twin")
        try check([second, first])
        try second.setValue(second, forKey: "twin")
        try check([nil, second])
        try first.setValue(second, forKey: "twin")
        try check([second, first])
        try first.setValue(nil, forKey: "twin")
        try check([nil, nil])
    }
}
