import Duramen
import DuramenMemory
import DuramenModelFile
import Foundation
import Testing

/// The classes that the plugin generates from `Garden.xcdatamodeld`, in the build of this target.
@MainActor
@Suite struct GeneratedModelTests {
    private static let strings = CodableType("[String]", [String].self)

    private static var document: ModelDocument {
        get throws {
            let folder = URL(filePath: #filePath).deletingLastPathComponent()
            let bundle = try ModelBundle(path: folder.appending(path: "Garden.xcdatamodeld").path)
            return try bundle.requiredCurrentVersion().document
        }
    }

    private func context() async throws -> ManagedObjectContext {
        try await PersistentContainer(model: .garden, stores: [.memory()]).viewContext
    }

    @Test func theGeneratedModelSaysWhatTheFileSays() throws {
        let generated = try ManagedObjectModel.garden
        let read = try Self.document.model(codableTypes: [Self.strings])
        #expect(generated.versionChecksum == read.versionChecksum)
        #expect(generated.versionIdentifiers == ["2"])
        #expect(generated.configurations == read.configurations)
        #expect(generated.descriptions.map(\.name) == read.descriptions.map(\.name))
        for (generated, read) in zip(generated.descriptions, read.descriptions) {
            var described = generated
            described.managedObjectClass = nil
            #expect(described == read)
        }
    }

    @Test func theModelIsMadeOnce() throws {
        #expect(try ManagedObjectModel.garden === ManagedObjectModel.garden)
    }

    @Test func everyPropertyIsReadAsItWasWritten() async throws {
        let context = try await context()
        let tree = Tree(context: context)
        tree.name = "oak"
        tree.class = "quercus"
        tree.common_names = ["oak", "Eiche"]
        tree.height = 21.5
        let id = UUID()
        tree.id = id
        tree.seen = true
        tree.rings = 77
        let edge = Edge(length: 2, tags: ["stone"])
        tree.bed = Spot(edge: edge, row: 4, soil: "loam")
        let other = Plant(context: context)
        other.name = "moss"
        tree.neighbours.insert(other)
        try context.save()
        try context.refreshAllObjects()
        #expect(tree.name == "oak")
        #expect(tree.class == "quercus")
        #expect(tree.common_names == ["oak", "Eiche"])
        #expect(tree.height == 21.5)
        #expect(tree.id == id)
        #expect(tree.rings == 77)
        #expect(tree.planted == Foundation.Date(timeIntervalSinceReferenceDate: 86_400))
        #expect(tree.bed?.row == 4)
        #expect(tree.bed?.soil == "loam")
        #expect(tree.bed?.edge?.length == 2)
        #expect(tree.bed?.edge?.tags == ["stone"])
        #expect(other.neighbours.contains(tree))
    }

    private func identity<Value: Identifiable>(_ value: Value) -> Value.ID { value.id }

    @Test func anAttributeCalledIDIdentifiesObjectsAndValues() async throws {
        let context = try await context()
        let tree = Tree(context: context)
        let id = UUID()
        tree.id = id
        #expect(identity(tree) == id && identity(tree.values) == id)
        #expect(tree.values.objectID == tree.objectID)
        let text = #"{"id": "\#(id)", "name": "oak", "height": 3}"#
        let plant = try JSONDecoder().decode(Plant.Values.self, from: Data(text.utf8))
        #expect(plant.id == id && plant.objectID.isTemporaryID)
        // Without one it is the object's ID, in classes of the application too.
        let gardener = Gardener(context: context)
        #expect(identity(gardener) == gardener.objectID)
        #expect(identity(Apprentice(context: context)).isTemporaryID)
        #expect(identity(Gardener.Values(gardener)) == gardener.objectID)
    }

    @Test func aClassThatTheApplicationWritesHasTheGeneratedProperties() async throws {
        let context = try await context()
        let gardener = Gardener(context: context)
        #expect(gardener.name == "somebody")
        #expect(gardener.wage == Decimal(string: "12.10"))
        for name in ["b", "a"] {
            let plant = Plant(context: context)
            plant.name = name
            gardener.plants.append(plant)
        }
        try context.save()
        #expect(gardener.plants.map(\.name) == ["b", "a"])
        let found = try context.fetch(FetchRequest<Gardener>().where { $0.name == "somebody" })
        #expect(found == [gardener])
    }

    @Test func aClassBelowAnotherOneThatTheApplicationWritesHasThePropertiesOfBoth() async throws {
        let context = try await context()
        let gardener = Gardener(context: context)
        let apprentice = Apprentice(context: context)
        apprentice.name = "Ada"
        apprentice.seat = Spot(row: 2)
        apprentice.master = gardener
        try context.save()
        #expect(apprentice.year == 1 && apprentice.values.seat?.row == 2)
        #expect(gardener.apprentices.map(\.name) == ["Ada"])
        let found = try context.fetch(
            FetchRequest<Apprentice>().where { $0.name == "Ada" && $0.year == 1 })
        #expect(found == [apprentice])
        #expect(try context.fetch(FetchRequest<Gardener>()).count == 2)
    }

    @Test func valuesThatAreNotGivenAreThoseOfNewObjects() {
        let values = Gardener.Values()
        #expect(values.name == "nobody" && values.plantCount == 0)
        #expect(values.wage == Decimal(string: "12.10"))
        #expect(Gardener.Values(name: "Ada", wage: nil).wage == nil)
        #expect(Apprentice.Values(superValues: values).year == 1)
    }

    @Test func anEntityWithoutAClassIsUsedByKeys() async throws {
        let context = try await context()
        let model = try ManagedObjectModel.garden
        let entity = try #require(model.entity(named: "Tool"))
        let tool = ManagedObject(entity: entity, context: context)
        #expect(try tool.value(forKey: "big") as? Int64 == .max)
        #expect(try tool.value(forKey: "sharp") as? Bool == true)
        #expect(try tool.value(forKey: "weight") as? Float == 1.5)
        #expect(
            try tool.value(forKey: "code") as? UUID
                == UUID(uuidString: "00112233-4455-6677-8899-AABBCCDDEEFF"))
        #expect(try tool.value(forKey: "link") as? URL == URL(string: "https://example.org"))
        try context.save()
        let requested = try context.fetch(FetchRequest<ManagedObject>.allTools(weights: 1...2))
        #expect(requested == [tool])
        #expect(try context.fetch(FetchRequest<ManagedObject>.allTools(weights: 2...3)).isEmpty)
    }

    @Test func whatIsUniqueIsFoundByAFunction() async throws {
        let context = try await context()
        let plant = Plant(context: context)
        plant.name = "ivy"
        try context.save()
        #expect(try Plant.find(name: "ivy", in: context) === plant)
        #expect(try Plant.find(name: "oak", in: context) == nil)
        let gardener = Gardener(context: context)
        (plant.owner, plant.`class`) = (gardener, "vine")
        try context.save()
        #expect(try Plant.find(owner: gardener, class: "vine", in: context) === plant)
        #expect(try Plant.find(owner: gardener, class: "tree", in: context) == nil)
    }

    @Test func aRequestOfTheModelTakesItsVariablesAndKeepsItsLimit() async throws {
        let context = try await context()
        let gardener = Gardener(context: context)
        for index in 0..<9 {
            let plant = Plant(context: context)
            plant.name = "plant \(index)"
            plant.height = Double(index)
            plant.owner = gardener
        }
        try context.save()
        let names = (0..<9).map { "plant \($0)" }
        let all = try Plant.higherThan(height: 0, names: names, owner: gardener)
        #expect(all.fetchLimit == 7)
        #expect(try context.fetch(all).count == 7)
        let some = try Plant.higherThan(height: 6, names: names, owner: gardener)
        #expect(Set(try context.fetch(some).map(\.height)) == [6, 7, 8])
        #expect(try context.fetch(Tree.everyTree()).isEmpty)
    }

    @Test func whatIsDerivedAndWhatIsFetchedHaveProperties() async throws {
        let context = try await context()
        let gardener = Gardener(context: context)
        let plants = (1...3).map { height in
            let plant = Plant(context: context)
            plant.name = "plant \(height)"
            plant.height = Double(height)
            return plant
        }
        plants[0].owner = gardener
        #expect(gardener.plantCount == 0)
        try context.save()
        #expect(gardener.plantCount == 1)
        #expect(plants[0].ownerName == "SOMEBODY")
        #expect(Set(plants[0].taller) == [plants[1], plants[2]])
        // They are kept until the object is refreshed.
        plants[2].height = 0
        #expect(plants[0].taller.count == 2)
        try context.refresh(plants[0], mergeChanges: true)
        #expect(plants[0].taller == [plants[1]])
    }

    @Test func keyPathsOfASubclassAreThoseOfItsSuperclass() async throws {
        let context = try await context()
        let tree = Tree(context: context)
        tree.name = "elm"
        tree.height = 9
        try context.save()
        let found = try context.fetch(
            FetchRequest<Tree>().where { $0.height > 8 && $0.rings == 1 }.sorted(by: \.name))
        #expect(found == [tree])
    }

    @Test func rulesOfTheFileHold() async throws {
        let context = try await context()
        let plant = Plant(context: context)
        plant.name = ""
        plant.height = 500
        let error = #expect(throws: ValidationError.self) { try context.save() }
        #expect(Set(error?.failures.compactMap(\.property) ?? []) == ["name", "height"])
    }

    @Test func valuesTravelAndComeBack() async throws {
        let context = try await context()
        let tree = Tree(context: context)
        tree.name = "ash"
        tree.rings = 5
        tree.bed = Spot(row: 9)
        try context.save()
        let values = tree.values
        #expect(values.rings == 5)
        #expect(values.name == "ash")
        let data = try JSONEncoder().encode(values)
        let decoded = try JSONDecoder().decode(Tree.Values.self, from: data)
        #expect(decoded == values)
        #expect(decoded.bed?.row == 9)
        let dates = Date(context: context)
        dates.at = Foundation.Date(timeIntervalSinceReferenceDate: 5)
        #expect(dates.values.at == Foundation.Date(timeIntervalSinceReferenceDate: 5))
    }

    @Test func whatATransientRelationshipLeadsToIsUndoneAndNotStored() async throws {
        let context = try await context()
        let undoManager = ContextUndoManager()
        context.undoManager = undoManager
        let (moss, fern) = (Plant(context: context), Plant(context: context))
        (moss.name, fern.name) = ("moss", "fern")
        let gardener = Gardener(context: context)
        moss.helper = gardener
        moss.rivals = [fern, moss, fern]
        #expect(moss.helper === gardener && moss.rivals == [fern, moss])
        try context.save()
        // The IDs are permanent ones now.
        #expect(moss.helper === gardener && moss.rivals == [fern, moss])
        #expect(try moss.value(forKey: "helper") as? Gardener === gardener)
        #expect(try moss.value(forKey: "rivals") as? [Plant] == [fern, moss])
        context.processPendingChanges()
        undoManager.removeAllActions()

        try moss.setValue(nil, forKey: "helper")
        try moss.setValue(Set([fern]), forKey: "rivals")
        #expect(moss.hasChanges && moss.helper == nil && moss.rivals == [fern])
        context.processPendingChanges()
        try context.undo()
        #expect(moss.helper === gardener && moss.rivals == [fern, moss])
        try context.redo()
        #expect(moss.helper == nil && moss.rivals == [fern])
        context.rollback()
        #expect(moss.helper === gardener && moss.rivals == [fern, moss])

        context.delete(fern)
        #expect(moss.rivals == [moss])
        context.rollback()
        moss.rivals = [fern]
        context.delete(fern)
        try context.save()
        #expect(moss.rivals.isEmpty)
        let reader = ManagedObjectContext(parent: context)
        #expect(try reader.fetch(FetchRequest<Plant>()).allSatisfy { $0.helper == nil })
    }

    @Test func anEmptyCollectionInATransientAttributeStaysWhatItIs() async throws {
        let notes = AttributeDescription("notes", .undefined, isOptional: true, isTransient: true)
        let model = try ManagedObjectModel([EntityDescription(name: "Page", attributes: [notes])])
        let context = try await PersistentContainer(model: model, stores: [.memory()]).viewContext
        let entity = try #require(model.entity(named: "Page"))
        let page = ManagedObject(entity: entity, context: context)
        try page.setValue([String](), forKey: "notes")
        #expect(page.transient(at: 0, default: ["none"]) == [])
        try page.setValue(Set<Int>(), forKey: "notes")
        #expect(try page.value(forKey: "notes") as? Set<Int> == [])
    }

    @Test func objectsThatLeadToEachOtherTransientlyAreFreed() async throws {
        let context = try await context()
        weak var freed: Plant?
        func makePair() throws {
            let (moss, fern) = (Plant(context: context), Plant(context: context))
            (moss.name, fern.name) = ("moss", "fern")
            (moss.rivals, fern.rivals) = ([fern], [moss])
            try context.save()
            freed = moss
        }
        try makePair()
        context.trim()
        #expect(freed == nil)
    }
}
