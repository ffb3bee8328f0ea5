import Duramen
import DuramenTestKit
import Foundation
import Testing

@MainActor
struct ObjectTests {
    let container: PersistentContainer
    let context: ManagedObjectContext

    init() throws {
        container = try makeContainer()
        context = container.viewContext
    }

    @Test func aNewObjectHasItsDefaultsAndATemporaryID() {
        let quake = Quake(context: context)
        #expect(quake.magnitude == 0)
        #expect(quake.status == .automatic)
        #expect(quake.depth == nil)
        #expect(quake.code == "")
        #expect(quake.objectID.isTemporaryID)
        #expect(quake.isInserted && !quake.isUpdated && !quake.isFault)
        #expect(context.insertedObjects == [quake])
    }

    @Test func valuesOfEveryKindSurviveASave() throws {
        let quake = context.insertQuake("us1", magnitude: 6.5)
        quake.depth = 10.25
        quake.status = .reviewed
        try context.save()
        #expect(!quake.objectID.isTemporaryID)
        context.reset()
        let again = try #require(try context.quake("us1"))
        #expect(again.magnitude == 6.5)
        #expect(again.depth == 10.25)
        #expect(again.status == .reviewed)
    }

    @Test func identitySurvivesASaveUnderBothIDs() throws {
        let quake = context.insertQuake("us1")
        let temporary = quake.objectID
        try context.save()
        #expect(context.object(with: temporary) === quake)
        #expect(context.object(with: quake.objectID) === quake)
        #expect(temporary != quake.objectID)
    }

    @Test func twoFetchesGiveTheSameObject() throws {
        _ = context.insertQuake("us1")
        try context.save()
        let first = try context.quake("us1")
        let second = try context.quake("us1")
        #expect(first === second)
    }

    @Test func longAndShortTextReplacesItself() throws {
        let quake = context.insertQuake("a")
        for length in [0, 3, 500, 70_000, 15, 100_000] {
            quake.code = String(repeating: "é", count: length)
            #expect(quake.code.utf8.count == length * 2)
        }
        try context.save()
        context.reset()
        let all = try context.fetch(FetchRequest<Quake>())
        #expect(all.first?.code.utf8.count == 200_000)
    }

    @Test func settingAValueBackIsNoChangeToTheStore() throws {
        let quake = context.insertQuake("us1", magnitude: 3)
        try context.save()
        quake.magnitude = 4
        quake.magnitude = 3
        let other = container.newBackgroundContext()
        try other.performAndWait { context in
            try context.quake("us1")?.magnitude = 9
            try context.save()
        }
        // Nothing differs from the base, so nothing is written and nothing conflicts.
        try context.save()
        #expect(!context.hasChanges)
    }

    @Test func aComposedAndADecomposedLetterAreDifferentValues() throws {
        let quake = context.insertQuake("\u{e9}")
        try context.save()
        quake.code = "e\u{301}"
        try context.save()
        context.reset()
        let all = try context.fetch(FetchRequest<Quake>())
        #expect(Array(try #require(all.first).code.utf8) == Array("e\u{301}".utf8))
    }

    /// Also where a plain access has failed before.
    @Test(arguments: StoreKind.allCases)
    func aToManyThatCannotBeReadThrowsByKey(kind: StoreKind) throws {
        let plan = FaultPlan()
        let container = try kind.container(plan: plan)
        try container.saveElsewhere { context in
            _ = context.insertQuake("us1", in: context.insertRegion("Chile"))
        }
        let context = container.makeContext()
        let region = try #require(try context.fetch(FetchRequest<Region>()).first)
        for number in 1...8 { plan.fail(.destinations, at: number, with: .damagedFile) }
        for _ in 0..<2 {
            let error = #expect(throws: StoreError.self) { try region.value(forKey: "quakes") }
            #expect(error?.code == .damagedFile)
        }
        plan.clear()
        #expect(try (region.value(forKey: "quakes") as? [ManagedObject])?.count == 1)
    }

    @Test func notANumberIsRefusedAndTheNextSaveSaysSo() throws {
        let quake = context.insertQuake("us1", magnitude: 5)
        quake.magnitude = .nan
        #expect(quake.magnitude == 5)
        #expect(quake.faultError != nil)
        #expect(throws: ContextError.self) { try context.save() }
        try context.save()
        #expect(!context.hasChanges)
    }

    @Test func minusZeroBecomesZero() throws {
        let quake = context.insertQuake("us1", magnitude: -0.0)
        #expect(quake.magnitude.sign == .plus)
    }

    @Test func keyBasedAccessReadsAndWrites() throws {
        let quake = context.insertQuake("us1")
        try quake.setValue(7.5, forKey: "magnitude")
        #expect(try quake.value(forKey: "magnitude") as? Double == 7.5)
        try quake.setValue(nil, forKey: "depth")
        #expect(try quake.value(forKey: "depth") == nil)
        let region = context.insertRegion("Honshu")
        try quake.setValue(region, forKey: "region")
        #expect(quake.region === region)
        #expect(throws: ContextError.self) { try quake.setValue("x", forKey: "magnitude") }
        #expect(throws: ContextError.self) { try quake.setValue(1, forKey: "nothing") }
        #expect(throws: ContextError.self) { try quake.value(forKey: "nothing") }
    }

    @Test func outOfRangeIntegersAreErrorsNeverWrapped() throws {
        let region = context.insertRegion("Honshu")
        let station = OceanStation(context: context)
        station.region = region
        try station.setValue(70_000, forKey: "waterDepth")
        #expect(station.waterDepth == 70_000)
        #expect(throws: ContextError.self) {
            try station.setValue(Int64(Int32.max) + 1, forKey: "waterDepth")
        }
        #expect(station.waterDepth == 70_000)
    }

    @Test func aMissingMandatoryValueNamesEveryProperty() throws {
        _ = Station(context: context)
        _ = Region(context: context)
        do {
            try context.save()
            Issue.record("the save succeeded")
        } catch let error as ValidationError {
            let places = Set(error.failures.map { "\($0.objectID.entityName).\($0.property)" })
            #expect(places == ["Region.name", "Station.callSign", "Station.region"])
            #expect(error.coreDataCode == 1560)
        }
        #expect(context.insertedObjects.count == 2)
    }

    @Test func existingObjectThrowsForAnUnknownID() throws {
        let quake = context.insertQuake("us1")
        try context.save()
        let unknown = ManagedObjectID(
            store: quake.objectID.store, entity: quake.objectID.entityHandle, key: 999_999)
        #expect(throws: ContextError.self) { try context.existingObject(with: unknown) }
        #expect(context.registeredObject(for: unknown) == nil)
        let fault = context.object(with: unknown)
        #expect(fault.isFault)
        #expect(throws: ContextError.self) { try fault.load() }
    }

    @Test func aFaultWhoseRowIsGoneReadsAsZeroAndFailsTheNextSave() throws {
        let quake = context.insertQuake("us1")
        try context.save()
        let unknown = ManagedObjectID(
            store: quake.objectID.store, entity: quake.objectID.entityHandle, key: 999_999)
        let fault = try #require(context.object(with: unknown) as? Quake)
        #expect(fault.magnitude == 0)
        #expect(fault.faultError != nil)
        quake.magnitude = 2
        #expect(throws: ContextError.self) { try context.save() }
        try context.save()
    }

    @Test func objectsAreGivenAsTheirClass() throws {
        let quake = context.insertQuake("us1")
        try context.save()
        let id = quake.objectID
        #expect(context.object(with: id, as: Quake.self) === quake)
        #expect(context.registeredObject(for: id, as: Quake.self) === quake)
        #expect(context.registeredObject(for: id, as: Region.self) == nil)
        #expect(throws: ContextError.self) {
            try context.existingObject(with: id, as: Region.self)
        }
    }

    @Test func aDescriptionListsTwentyFailuresAndCountsTheRest() {
        for _ in 0..<25 { _ = Region(context: context) }
        let error = #expect(throws: ValidationError.self) { try context.save() }
        #expect(error?.failures.count == 25)
        let lines = error?.description.split(separator: "\n") ?? []
        #expect(lines.count == 22)
        #expect(lines.last == "  and 5 more")
    }

    @Test func obtainedPermanentIDsStayAfterTheSave() throws {
        let quake = context.insertQuake("us1")
        try context.obtainPermanentIDs(for: [quake])
        let id = quake.objectID
        #expect(!id.isTemporaryID)
        #expect(quake.isInserted)
        try context.save()
        #expect(quake.objectID == id)
    }

    @Test func cleanObjectsThatNobodyHoldsAreForgotten() throws {
        for number in 0..<1000 { _ = context.insertQuake("us\(number)") }
        #expect(context.registeredObjects.count == 1000)
        try context.save()
        #expect(context.registeredObjects.isEmpty)
        let held = try context.quake("us7")
        #expect(context.registeredObjects.count == 1)
        #expect(held?.code == "us7")
    }
}
