import Duramen
import Testing

/// Live lists of children, which follow what their parents show.
@MainActor
@Suite struct ListOfChildTests {
    @MainActor private struct Family {
        let container: PersistentContainer
        let parent: ManagedObjectContext
        let child: ManagedObjectContext
        let list: FetchedResultsController<Quake>
        private let probe: ListProbe<Quake>

        init(_ kind: StoreKind) throws {
            container = try kind.container()
            parent = container.viewContext
            _ = parent.insertQuake("a", magnitude: 1, in: parent.insertRegion("r"))
            try parent.save()
            child = ManagedObjectContext(parent: parent)
            list = FetchedResultsController(
                fetchRequest: FetchRequest<Quake>().where { $0.magnitude < 5 }.sorted(by: \.code),
                managedObjectContext: child)
            probe = try ListProbe(list)
        }

        var codes: [String]? { list.fetchedObjects?.map(\.code) }

        func saveElsewhere() throws {
            try container.saveElsewhere { other in
                _ = other.insertQuake("b", magnitude: 2)
                try other.quake("a")?.magnitude = 9
            }
        }
    }

    @Test(arguments: StoreKind.allCases)
    func theEndOfTheParentsUnitOfWorkTellsThem(kind: StoreKind) throws {
        let family = try Family(kind)
        #expect(family.codes == ["a"])
        try family.saveElsewhere()
        family.parent.processPendingChanges()
        #expect(family.codes == ["b"])
        let new = family.parent.insertQuake("c", magnitude: 3)
        family.parent.processPendingChanges()
        #expect(family.codes == ["b", "c"])
        new.magnitude = 7
        family.parent.processPendingChanges()
        #expect(family.codes == ["b"])
        try family.parent.save()
        #expect(family.codes == ["b"])
    }

    @Test(arguments: StoreKind.allCases)
    func theirOwnUnitHasTheParentMergeFirst(kind: StoreKind) throws {
        let family = try Family(kind)
        let grandchild = ManagedObjectContext(parent: family.child)
        let list = FetchedResultsController(
            fetchRequest: FetchRequest<Quake>().sorted(by: \.code),
            managedObjectContext: grandchild)
        let probe = try ListProbe(list)
        try family.saveElsewhere()
        grandchild.processPendingChanges()
        #expect(list.fetchedObjects?.map(\.code) == ["a", "b"])
        try probe.check("the parent merged")
        #expect(family.codes == ["b"])
        #expect(try family.parent.quake("a")?.magnitude == 9)
    }

    @Test(arguments: StoreKind.allCases)
    func batchesOfTheParentTellThem(kind: StoreKind) throws {
        let family = try Family(kind)
        try family.parent.execute(
            BatchInsertRequest(Quake.self, objects: [["code": "n", "magnitude": 1.0]]))
        family.child.processPendingChanges()
        #expect(family.codes == ["a", "n"])
        try family.parent.execute(BatchUpdateRequest<Quake>().set(\.magnitude, to: 6))
        family.child.processPendingChanges()
        #expect(family.codes == [])
    }
}
