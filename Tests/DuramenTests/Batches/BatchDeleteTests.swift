import Duramen
import StoreTestSupport
import Testing

@MainActor
@Suite struct BatchDeleteTests {
    @Test(arguments: StoreKind.allCases)
    func whatARequestWouldFetchIsDeleted(kind: StoreKind) throws {
        let context = try kind.container().viewContext
        let tag = Tag(context: context)
        tag.name = "felt"
        for number in 0..<2_500 {
            let quake = context.insertQuake("q\(number)", magnitude: Double(number))
            if number % 2 == 0 { quake.tags.insert(tag) }
        }
        try context.save()
        let high = FetchRequest<Quake>().where { $0.magnitude >= 10 }
        #expect(try context.execute(BatchDeleteRequest(high)).count == 2_490)
        #expect(try context.count(for: FetchRequest<Quake>()) == 10)
        #expect(Set(tag.quakes.map(\.code)) == ["q0", "q2", "q4", "q6", "q8"])
        let strongest = FetchRequest<Quake>().sorted(by: \.magnitude, .descending).limit(3)
        var request = BatchDeleteRequest(strongest)
        request.resultType = .objectIDs
        let result = try context.execute(request)
        #expect(result.count == 3 && result.changedObjectIDs.deleted == Set(result.objectIDs))
        #expect(
            try context.fetch(FetchRequest<Quake>().sorted(by: \.magnitude, .descending))
                .first?.code == "q6")
        #expect(tag.quakes.count == 4)
        #expect(try context.execute(BatchDeleteRequest(high)).count == 0)
    }

    @Test(arguments: StoreKind.allCases)
    func objectsAreDeletedByTheirIDs(kind: StoreKind) throws {
        let container = try kind.container()
        let context = container.viewContext
        let quakes = (0..<5).map { context.insertQuake("q\($0)") }
        let tag = Tag(context: context)
        tag.name = "felt"
        try context.save()
        let elsewhere = try kind.container().viewContext
        let strange = elsewhere.insertQuake("strange")
        try elsewhere.save()
        // One occurs again in another part.
        let few = [quakes[1], quakes[1], quakes[3], tag, strange].map(\.objectID)
        let ids = few + Array(repeating: strange.objectID, count: 1_500) + [quakes[3].objectID]
        let result = try context.execute(BatchDeleteRequest(objectIDs: ids))
        #expect(result.count == 3)
        #expect(try context.execute(BatchDeleteRequest(objectIDs: ids)).count == 0)
        #expect(try context.fetch(FetchRequest<Quake>().sorted(by: \.code)).count == 3)
        #expect(try context.count(for: FetchRequest<Tag>()) == 0)
    }

    @Test(arguments: StoreKind.allCases)
    func rulesCascadeNullifyAndDeny(kind: StoreKind) throws {
        let context = try kind.container(Family.model).viewContext
        let owner = context.insert("Owner", ["name": "a"])
        let other = context.insert("Owner", ["name": "b"])
        let items = (0..<5).map { _ in context.insert("Item") }
        for (item, key) in zip(items, ["owner", "master", "keeper", "guardian"]) {
            try item.setValue(owner, forKey: key)
        }
        try items[1].setValue(other, forKey: "owner")
        let strict = context.insert("Strict", ["boss": owner])
        try context.save()
        let named = FetchRequest<ManagedObject>(entityName: "Owner").where(
            try FetchPredicate("name == 'a'"))
        var request = BatchDeleteRequest(named)
        request.resultType = .objectIDs
        #expect(storeErrorCode { try context.execute(request) } == .deletionDenied)
        #expect(try context.count(for: FetchRequest<ManagedObject>(entityName: "Item")) == 5)
        // Nothing is denied any more once the destination goes too, or leads elsewhere.
        try items[3].setValue(other, forKey: "guardian")
        try context.save()
        let result = try context.execute(request)
        #expect(result.count == 1 && result.objectIDs == [owner.objectID])
        #expect(result.changedObjectIDs.deleted == [owner.objectID, items[1].objectID])
        #expect(
            result.changedObjectIDs.updated == [items[0].objectID, strict.objectID])
        #expect(try items[0].value(forKey: "owner") == nil)
        // No action leaves a reference to nothing.
        #expect(try context.count(for: FetchRequest<ManagedObject>(entityName: "Item")) == 4)
        let left = try other.value(forKey: "items") as? [ManagedObject]
        #expect(left?.isEmpty == true)
        #expect(try strict.value(forKey: "boss") == nil)
    }

    @Test(arguments: StoreKind.allCases)
    func denialsCountWhatStaysOnly(kind: StoreKind) throws {
        let context = try kind.container(Family.model).viewContext
        let nodes = (0..<3).map { _ in context.insert("Node") }
        try nodes[0].setValue(nodes[1], forKey: "next")
        let pin = context.insert("Pin", ["node": nodes[1]])
        try context.save()
        // A chain to itself ends, too.
        try nodes[2].setValue(nodes[2], forKey: "parent")
        try context.save()
        let first = BatchDeleteRequest(objectIDs: [nodes[0].objectID, nodes[2].objectID])
        #expect(storeErrorCode { try context.execute(first) } == .deletionDenied)
        let both = BatchDeleteRequest(objectIDs: [nodes[0], pin].map(\.objectID))
        #expect(try context.execute(both).count == 2)
        #expect(try context.fetch(FetchRequest<ManagedObject>(entityName: "Node")) == [nodes[2]])
        #expect(
            try context.execute(BatchDeleteRequest(objectIDs: [nodes[2].objectID])).count == 1)
    }

    @Test func aLongChainIsNoProblem() throws {
        let context = try StoreKind.sqlite.container(Family.model).viewContext
        var last: ManagedObject?
        for _ in 0..<20_000 {
            let node = context.insert("Node")
            if let last { try last.setValue(node, forKey: "next") }
            last = node
        }
        try context.save()
        let first = try context.fetch(
            FetchRequest<ManagedObject>(entityName: "Node").where(
                try FetchPredicate("previous == nil")))
        #expect(first.count == 1)
        let result = try context.execute(BatchDeleteRequest(objectIDs: first.map(\.objectID)))
        #expect(result.count == 1)
        #expect(try context.count(for: FetchRequest<ManagedObject>(entityName: "Node")) == 0)
    }

    @Test(arguments: StoreKind.allCases)
    func bothEndsOfAOneToOneAreSettled(kind: StoreKind) throws {
        let context = try kind.container().viewContext
        let region = context.insertRegion("r")
        let stations = (0..<3).map { number in
            let station = number == 1 ? OceanStation(context: context) : Station(context: context)
            station.callSign = "\(number)"
            station.region = region
            return station
        }
        stations[0].backup = stations[1]
        stations[1].backup = stations[2]
        try context.save()
        try context.execute(BatchDeleteRequest(objectIDs: [stations[1].objectID]))
        #expect(stations[0].backup == nil && stations[2].backupOf == nil)
        #expect(region.stations.count == 2)
    }

    /// So many, of which nothing else depends, that an engine may delete them at once.
    @Test(arguments: StoreKind.allCases)
    func manyObjectsAreDeleted(kind: StoreKind) throws {
        let context = try kind.container(Family.model).viewContext
        let node = context.insert("Node")
        let pins = (0..<2_600).map { number in
            context.insert("Pin", number < 2_100 ? ["node": node] : [:])
        }
        try context.save()
        let pinned = FetchRequest<ManagedObject>(entityName: "Pin").where(
            try FetchPredicate("node != nil"))
        #expect(try context.execute(BatchDeleteRequest(pinned)).count == 2_100)
        #expect(try context.count(for: FetchRequest<ManagedObject>(entityName: "Pin")) == 500)
        #expect((try node.value(forKey: "pins") as? [ManagedObject])?.isEmpty == true)
        #expect(try pins[2_599].value(forKey: "node") == nil)
        let all = FetchRequest<ManagedObject>(entityName: "Pin")
        #expect(try context.execute(BatchDeleteRequest(all)).count == 500)
        #expect(try context.count(for: all) == 0)
    }
}
