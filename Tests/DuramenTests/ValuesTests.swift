import Duramen
import Foundation
import Testing

/// Values of live objects: taken, written back, coded.
@MainActor struct ValuesTests {
    private let container: PersistentContainer
    private let context: ManagedObjectContext
    private let quake: Quake
    private let region: Region
    private let tag: Tag

    init() throws {
        container = try StoreKind.memory.container()
        context = container.viewContext
        quake = Quake(context: context)
        quake.code = "e\u{301}"
        quake.magnitude = 5
        region = Region(context: context)
        region.name = "Honshu"
        quake.region = region
        tag = Tag(context: context)
        tag.name = "felt"
        quake.tags.insert(tag)
        try context.save()
    }

    @Test func valuesShowUnsavedChanges() throws {
        quake.magnitude = 6
        quake.depth = 10
        quake.tags.removeAll()
        let values = Quake.Values(quake)
        #expect(values.objectID == quake.objectID)
        #expect(values.magnitude == 6)
        #expect(values.depth == 10)
        #expect(values.region == region.objectID)
        #expect(values.tags == [])
    }

    @Test func theIDOfANewObjectIsTemporaryAndSoAreThoseItLeadsTo() throws {
        let quake = Quake(context: context)
        let region = Region(context: context)
        quake.region = region
        let values = Quake.Values(quake)
        #expect(values.objectID.isTemporaryID)
        #expect(values.objectID == quake.objectID)
        #expect(values.region == region.objectID)
        // What was temporary leads to the same object after the save.
        quake.code = "new"
        region.name = "Izu"
        try context.save()
        try quake.apply(values)
        #expect(quake.region == region)
    }

    @Test func aFaultIsReadAndAGoneOneHasZeroValues() throws {
        let other = container.makeContext()
        let fault = other.object(with: quake.objectID, as: Quake.self)
        #expect(Quake.Values(fault) == Quake.Values(quake))
        context.delete(quake)
        try context.save()
        let third = container.makeContext()
        let gone = third.object(with: quake.objectID, as: Quake.self)
        #expect(Quake.Values(exactly: gone) == nil)
        #expect(Quake.Values(gone).code == "")
        #expect(gone.faultError != nil)
        withExtendedLifetime((other, third)) {}
    }

    // MARK: - Writing back

    @Test func equalValuesAreNoChange() throws {
        try quake.apply(Quake.Values(quake))
        #expect(!quake.hasChanges)
        #expect(!context.hasChanges)
    }

    @Test func textIsComparedByItsBytes() throws {
        var values = Quake.Values(quake)
        values.code = "\u{E9}"
        // Swift calls them equal.
        #expect(values == Quake.Values(quake))
        try quake.apply(values)
        #expect(quake.hasChanges)
        #expect(Array(quake.code.utf8) == [0xC3, 0xA9])
    }

    @Test func onlyWhatDiffersIsWritten() throws {
        var values = Quake.Values(quake)
        values.magnitude = 7
        values.status = .reviewed
        try quake.apply(values)
        #expect(quake.magnitude == 7)
        #expect(quake.status == .reviewed)
        // Writing the region anew, or the tags, would have touched them.
        #expect(context.updatedObjects == [quake])
        #expect(Quake.Values(quake) == values)
        try context.save()
        #expect(try container.fetchAndWait(Quake.Values.self) == [values])
    }

    @Test func relationshipsAreWrittenByID() throws {
        let other = Region(context: context)
        other.name = "Izu"
        let strong = Tag(context: context)
        strong.name = "strong"
        try context.save()
        var values = Quake.Values(quake)
        values.region = other.objectID
        values.tags = [tag.objectID, strong.objectID]
        try quake.apply(values)
        #expect(quake.region == other)
        #expect(Array(region.quakes) == [])
        #expect(Array(strong.quakes) == [quake])
        #expect(quake.tags.count == 2)
        values.region = nil
        values.tags = []
        try quake.apply(values)
        #expect(quake.region == nil)
        #expect(Array(other.quakes) == [])
        #expect(quake.tags.isEmpty)
        try context.save()
    }

    @Test func valuesMakeANewObject() throws {
        var values = Quake.Values(quake)
        values.code = "copy"
        values.depth = 1
        let copy = try Quake(values, context: context)
        #expect(copy.isInserted)
        #expect(copy.objectID != values.objectID)
        try context.save()
        let stored = try container.fetchAndWait(
            Quake.Values.self, FetchRequest().where { $0.code == "copy" })
        #expect(stored.map(\.objectID) == [copy.objectID])
        values.objectID = copy.objectID
        #expect(stored == [values])
        #expect(Set(region.quakes) == [quake, copy])
    }

    @Test func theValuesOfASuperclassAreWrittenToASubclass() throws {
        let ocean = OceanStation(context: context)
        ocean.callSign = "O1"
        ocean.region = region
        ocean.waterDepth = 5
        var values = Station.Values(ocean)
        values.callSign = "O2"
        try (ocean as Station).apply(values)
        #expect(ocean.callSign == "O2")
        #expect(ocean.waterDepth == 5)
    }

    // MARK: - What is refused

    /// Applying the values is refused, and so is making an object of them; neither changes
    /// anything.
    private func expectRefusal(
        _ values: Quake.Values, _ code: ContextError.Code,
        _ place: SourceLocation = #_sourceLocation
    ) throws {
        var values = values
        values.depth = 99
        let error = try #require(throws: ContextError.self, sourceLocation: place) {
            try quake.apply(values)
        }
        #expect(error.code == code, sourceLocation: place)
        #expect(!context.hasChanges, sourceLocation: place)
        #expect(throws: ContextError.self, sourceLocation: place) {
            try Quake(values, context: context)
        }
        #expect(!context.hasChanges, sourceLocation: place)
    }

    @Test func anIDOfAnotherEntityIsRefused() throws {
        var values = Quake.Values(quake)
        values.region = tag.objectID
        try expectRefusal(values, .invalidValue)
        values = Quake.Values(quake)
        values.tags = [region.objectID]
        try expectRefusal(values, .invalidValue)
    }

    @Test func anIDOfAnotherStoreIsRefused() throws {
        let elsewhere = try StoreKind.memory.container().viewContext
        let other = Region(context: elsewhere)
        other.name = "Honshu"
        var values = Quake.Values(quake)
        // Temporary, and of another context.
        values.region = other.objectID
        try expectRefusal(values, .objectNotFound)
        try elsewhere.save()
        values.region = other.objectID
        try expectRefusal(values, .invalidValue)
    }

    @Test func anIDOfADeletedObjectIsRefused() throws {
        let other = Region(context: context)
        other.name = "Izu"
        try context.save()
        var values = Quake.Values(quake)
        values.region = other.objectID
        context.delete(other)
        try context.save()
        try expectRefusal(values, .objectNotFound)
    }

    @Test func aNumberThatIsNoneIsRefused() throws {
        var values = Quake.Values(quake)
        values.magnitude = .nan
        try expectRefusal(values, .invalidValue)
    }

    @Test func aDeletedObjectTakesNoValues() throws {
        var values = Quake.Values(quake)
        values.magnitude = 1
        context.delete(quake)
        #expect(throws: ContextError.self) { try quake.apply(values) }
        try context.save()
        #expect(throws: ContextError.self) { try quake.apply(values) }
    }

    // MARK: - Coding

    @Test func valuesSurviveJSON() throws {
        let values = [Quake.Values(quake), Quake.Values(try quakeWithoutAnything())]
        let data = try JSONEncoder().encode(values)
        let text = String(decoding: data, as: UTF8.self).replacing("\\/", with: "/")
        #expect(text.contains("\"\(quake.objectID.uriRepresentation)\""))
        #expect(text.contains("\"\(region.objectID.uriRepresentation)\""))
        #expect(try JSONDecoder().decode([Quake.Values].self, from: data) == values)
    }

    private func quakeWithoutAnything() throws -> Quake {
        let quake = Quake(context: context)
        quake.code = ""
        try context.save()
        return quake
    }
}
