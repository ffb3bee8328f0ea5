import Duramen
import DuramenTestKit
import StoreTestSupport
import Testing

/// Many-to-manys of rows that are inserted without objects.
@MainActor
@Suite(.serialized)
struct BatchPairsTests {
    private func names(_ quake: Quake?) -> [String] { (quake?.tags.map(\.name) ?? []).sorted() }

    @Test(arguments: StoreKind.allCases)
    func rowsLeadToStoredObjectsAndContextsSeeIt(kind: StoreKind) throws {
        let container = try kind.container()
        let context = container.viewContext
        let tags = ["t0", "t1", "t2"].map { context.insertTag($0) }
        try context.save()
        #expect(tags.allSatisfy { $0.quakes.isEmpty })
        let probe = try ListProbe(
            FetchedResultsController(
                fetchRequest: FetchRequest<Quake>().where { $0.tags.any { $0.name == "t1" } }
                    .sorted(by: \.code), managedObjectContext: context))
        let ids = tags.map(\.objectID)
        var number = 0
        try container.makeContext().execute(
            BatchInsertRequest(Quake.self) { row in
                defer { number += 1 }
                if number == 4 { return true }
                row[\.code] = "q\(number)"
                switch number {
                case 0:
                    row[\.tags] = [ids[0]]
                    // The last of several holds, and twice is once.
                    row[\.tags] = [ids[1], ids[2], ids[1]]
                    #expect(row[\.tags] == [ids[1], ids[2], ids[1]])
                case 1: row[\.tags, \.name] = ["t0", "t1"]
                case 2: row[\.tags, \.name] = []
                default: break
                }
                return false
            })
        try container.makeContext().execute(
            BatchInsertRequest(
                Quake.self,
                objects: [
                    ["code": "d0", "tags": [ids[0], ids[1]]],
                    ["code": "d1", "tags.name": ["t2", "t1"]],
                    ["code": "d2", "tags": Set([ids[2]])],
                    ["code": "d3", "tags.name": [String]?.none],
                ]))
        context.processPendingChanges()
        let found = try context.fetch(FetchRequest<Quake>().sorted(by: \.code))
        #expect(found.map(\.code) == ["d0", "d1", "d2", "d3", "q0", "q1", "q2", "q3"])
        #expect(
            found.map(names) == [
                ["t0", "t1"], ["t1", "t2"], ["t2"], [], ["t1", "t2"], ["t0", "t1"], [], [],
            ])
        #expect(tags.map { $0.quakes.map(\.code).sorted() }[1] == ["d0", "d1", "q0", "q1"])
        #expect(probe.controller.fetchedObjects?.map(\.code) == ["d0", "d1", "q0", "q1"])
        try probe.check("inserted")
    }

    @Test(arguments: StoreKind.allCases)
    func whatIsUpdatedKeepsItsDestinationsAndWhatIsLeftOutGetsNone(kind: StoreKind) throws {
        let cases: [(MergePolicy, String, [String])] = [
            (.mergeByPropertyObjectTrump, "ab", ["a", "b", "c"]),
            (.fill, "ab", ["a", "b", "c"]), (.overwrite, "ab", ["a", "b", "c"]),
            (.mergeByPropertyStoreTrump, "a", ["b"]), (.rollback, "a", ["b"]),
        ]
        for (policy, stored, new) in cases {
            let container = try kind.container(options: ContextOptions(mergePolicy: policy))
            let context = container.viewContext
            let tags = ["a", "b", "c"].map { context.insertTag($0) }
            let quake = context.insertQuake("old")
            quake.tags.insert(tags[0])
            try context.save()
            let rows: [[String: any Sendable]] = [
                ["code": "old", "tags.name": ["a", "b"]],
                ["code": "new", "tags.name": ["b"]],
                ["code": "new", "tags.name": ["a", "c"]],
            ]
            try context.execute(BatchInsertRequest(Quake.self, objects: rows))
            let fresh = container.makeContext()
            #expect(names(try fresh.quake("old")).joined() == stored, "\(policy)")
            #expect(names(try fresh.quake("new")) == new, "\(policy)")
            #expect(names(quake).joined() == stored, "\(policy)")
        }
    }

    /// A relationship of an entity with itself, given from both of its ends and across parts.
    @Test(arguments: StoreKind.allCases)
    func objectsOfOneEntityLeadToEachOther(kind: StoreKind) throws {
        let model = try ManagedObjectModel([
            EntityDescription(
                name: "Page", attributes: [.of(String.self, name: "name")],
                relationships: [
                    .toMany("links", destination: "Page", inverse: "backlinks"),
                    .toMany("backlinks", destination: "Page", inverse: "links"),
                    .toMany("friends", destination: "Page", inverse: "friends"),
                ], uniquenessConstraints: [["name"]])
        ])
        let container = try kind.container(
            model, options: ContextOptions(mergePolicy: .mergeByPropertyObjectTrump))
        let context = container.viewContext
        func insert(_ rows: [[String: any Sendable]]) throws {
            try context.execute(
                BatchInsertRequest(ManagedObject.self, objects: rows).entityName("Page"))
        }
        let all = (0..<2_300).map { "p\($0)" }
        try insert(all.map { ["name": $0] })
        try insert(
            all.indices.map { place in
                let next = all[(place + 1) % all.count]
                let last = all[(place + all.count - 1) % all.count]
                return [
                    "name": all[place], "links.name": [next, all[place]], "backlinks.name": [last],
                    "friends.name": [next, last],
                ]
            })
        let request = FetchRequest<ManagedObject>(entityName: "Page")
        for context in [context, container.makeContext()] {
            for page in try context.fetch(request) {
                let name = try page.value(forKey: "name") as? String ?? ""
                let place = try #require(Int(name.dropFirst()))
                func ends(_ key: String) throws -> Set<String> {
                    let objects = try page.value(forKey: key) as? [ManagedObject] ?? []
                    return try Set(objects.map { try $0.value(forKey: "name") as? String ?? "" })
                }
                let next = all[(place + 1) % all.count]
                let last = all[(place + all.count - 1) % all.count]
                #expect(try ends("links") == [next, name])
                #expect(try ends("backlinks") == [last, name])
                #expect(try ends("friends") == [next, last])
            }
        }
    }

    @Test(arguments: StoreKind.allCases)
    func historyTellsOfBothEnds(kind: StoreKind) throws {
        let container = try PersistentContainer.open(
            model: Seismology.model, stores: [kind.description.keepingHistory()])
        let context = container.viewContext
        let tag = context.insertTag("t")
        try context.save()
        let token = try container.currentPersistentHistoryToken()
        let rows: [[String: any Sendable]] = [["code": "q", "tags.name": ["t"]]]
        try context.execute(BatchInsertRequest(Quake.self, objects: rows))
        let result = try container.persistentStoreCoordinator.execute(.fetchHistory(after: token))
        let changes = result.transactions.flatMap { $0.changes ?? [] }
        #expect(result.transactions.count == 1)
        #expect(
            Set(changes.map { "\($0.changedObjectID.entityName) \($0.changeType)" })
                == ["Quake insert", "Tag update"])
        let update = changes.first { $0.changedObjectID == tag.objectID }
        #expect(update?.updatedProperties == ["quakes"])
        try container.close()
    }

    @Test(arguments: StoreKind.allCases)
    func whatDoesNotFitLeavesNothingBehind(kind: StoreKind) throws {
        let context = try kind.container().viewContext
        let region = context.insertRegion("r")
        for name in ["t", "twice", "twice"] { _ = context.insertTag(name) }
        try context.save()
        func insert(_ row: [String: any Sendable]) throws {
            let rows: [[String: any Sendable]] = [["code": "a", "tags.name": ["t"]], row]
            try context.execute(BatchInsertRequest(Quake.self, objects: rows))
        }
        let unsaved = context.insertTag("new").objectID
        for (value, code) in [
            (["none"] as any Sendable, ContextError.Code.invalidRequest),
            (["twice"], .invalidRequest), ("t", .invalidValue), ([1], .invalidValue),
        ] {
            #expect(contextErrorCode { try insert(["code": "b", "tags.name": value]) } == code)
        }
        for value in [[region.objectID], [unsaved], 1, ["t"]] as [any Sendable] {
            #expect(contextErrorCode { try insert(["code": "b", "tags": value]) } == .invalidValue)
        }
        #expect(contextErrorCode { try insert(["code": "b", "tags.size": ["t"]]) } == .unknownName)
        // Of a one-to-many the other side is set, and an order would have to be asked for.
        #expect(
            contextErrorCode {
                let rows: [[String: any Sendable]] = [["name": "s", "quakes.code": ["a"]]]
                try context.execute(BatchInsertRequest(Region.self, objects: rows))
            } == .unknownName)
        let music = try kind.container(Music.model).viewContext
        #expect(
            contextErrorCode {
                let rows: [[String: any Sendable]] = [["songs": [ManagedObjectID]()]]
                try music.execute(BatchInsertRequest(Mix.self, objects: rows))
            } == .unknownName)
        #expect(try context.count(for: FetchRequest<Quake>()) == 0)
        context.rollback()
        try insert(["code": "b", "tags.name": ["t"]])
        #expect(names(try context.quake("b")) == ["t"])
    }
}
