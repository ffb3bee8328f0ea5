import Duramen
import Testing

/// Undo of deletions that a rule denies while something leads to what is deleted, with saves
/// between.
@MainActor struct UndoDenialTests {
    @Test(arguments: StoreKind.allCases)
    func aDeletionThatASaveRefusedIsTakenBack(kind: StoreKind) throws {
        let (desk, region, station) = try regionWithStation(kind)
        desk.context.delete(region)
        #expect(throws: ValidationError.self) { try desk.context.save() }
        #expect(region.isDeleted && station.region === region)
        try desk.context.undo()
        #expect(!region.isDeleted && station.region === region && !desk.context.hasChanges)
        #expect(Array(region.stations) == [station] && !desk.undoManager.canUndo)
        station.callSign = "NEW"
        try desk.context.save()
        let stored = try #require(try desk.reader.fetch(FetchRequest<Region>()).first)
        #expect(stored.stations.map(\.callSign) == ["NEW"])
    }

    @Test(arguments: StoreKind.allCases)
    func whatWasDeletedAfterItsOwnerLeadsThereAgain(kind: StoreKind) throws {
        let (desk, region, station) = try regionWithStation(kind)
        let context = desk.context
        context.delete(region)
        context.processPendingChanges()
        context.delete(station)
        try context.save()
        for _ in 0..<2 {
            try context.undo()
            // The region is not there, neither here nor in the store.
            #expect(!station.isDeleted && station.region == nil)
            try context.undo()
            #expect(station.region === region && Array(region.stations) == [station])
            try context.save()
            let stored = try #require(try desk.reader.fetch(FetchRequest<Station>()).first)
            #expect(stored.objectID == station.objectID && stored.region?.name == "r")
            try context.redo()
            #expect(region.isDeleted && station.region == nil)
            try context.redo()
            try context.save()
            #expect(try desk.reader.count(for: FetchRequest<Station>()) == 0)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func whatWasMovedAwayFromADeletedOwnerLeadsThereAgain(kind: StoreKind) throws {
        let (desk, region, station) = try regionWithStation(kind)
        let context = desk.context
        let other = context.insertRegion("other")
        try desk.settle()
        context.delete(region)
        context.processPendingChanges()
        station.region = other
        try context.save()
        try context.undo()
        #expect(station.region == nil && other.stations.isEmpty)
        try context.undo()
        #expect(station.region === region && Array(region.stations) == [station])
        try context.redo()
        try context.redo()
        #expect(station.region === other)
        try context.save()
        let stored = try #require(try desk.reader.fetch(FetchRequest<Station>()).first)
        #expect(stored.region?.name == "other")
        #expect(try desk.reader.count(for: FetchRequest<Region>()) == 1)
    }

    @Test(arguments: StoreKind.allCases)
    func whatIsNotInMemoryLeadsToItsOwnerAgain(kind: StoreKind) throws {
        let desk = try UndoDesk(kind, Family.model)
        let context = desk.context
        let owner = context.insert("Owner", ["name": "o"])
        let item = context.insert("Item", ["guardian": owner])
        try desk.settle()
        context.delete(owner)
        context.processPendingChanges()
        try item.setValue(nil, forKey: "guardian")
        try context.save()
        try context.undo()
        try context.save()
        try context.refreshAllObjects()
        #expect(item.isFault)
        try context.undo()
        #expect(try item.value(forKey: "guardian") as? ManagedObject === owner)
        try context.save()
        let stored = try #require(try desk.reader.fetch(.all("Item")).first)
        let guardian = try stored.value(forKey: "guardian") as? ManagedObject
        #expect(try guardian?.value(forKey: "name") as? String == "o")
    }

    private func regionWithStation(_ kind: StoreKind) throws -> (UndoDesk, Region, Station) {
        let desk = try UndoDesk(kind)
        let region = desk.context.insertRegion("r")
        let station = Station(context: desk.context)
        station.callSign = "OLD"
        station.region = region
        try desk.settle()
        return (desk, region, station)
    }
}
