import Duramen
import DuramenLMDB
import DuramenSQLite
import Foundation
import StoreTestSupport
import Testing

/// Stores of formats that left out uniqueness constraints over to-ones, opened with such a model.
@MainActor
@Suite struct UnenforcedConstraintTests {
    private let scratch = TemporaryFolder()

    /// The model of the fixtures, in which two works share each room, with one work allowed in
    /// each.
    private static let model: ManagedObjectModel = {
        var descriptions = Exhibition.model.descriptions
        for place in descriptions.indices where descriptions[place].name == "Work" {
            descriptions[place].uniquenessConstraints.append(["room"])
        }
        do {
            return try ManagedObjectModel(descriptions)
        } catch {
            fatalError("\(error)")
        }
    }()

    private nonisolated static let earlier = StoreFormatTests.Fixture.all.filter {
        $0.format < ($0.kind == "lmdb" ? 3 : 2)
    }

    private func store(_ fixture: StoreFormatTests.Fixture) throws -> PersistentStoreDescription {
        let path = scratch.file(fixture.name)
        try FileManager.default.copyItem(atPath: fixture.path, toPath: path)
        return fixture.store(in: path)
    }

    private func open(_ store: PersistentStoreDescription) throws -> PersistentContainer {
        try PersistentContainer.open(model: Self.model, stores: [store])
    }

    private func works(_ context: ManagedObjectContext) throws -> [ManagedObject] {
        let request = FetchRequest<ManagedObject>(entityName: "Work")
            .where(try FetchPredicate("room != nil"))
        return try context.fetch(request)
    }

    private func sharing(_ container: PersistentContainer) throws -> [VerificationFinding] {
        try container.verify().filter { $0.kind == .uniqueness }
    }

    @Test(arguments: earlier)
    func aStoreWithDuplicatesOpensAndIsNotHeldToTheConstraint(
        fixture: StoreFormatTests.Fixture
    ) throws {
        let store = try store(fixture)
        for _ in 0..<2 {
            let container = try open(store)
            let finding = try #require(try sharing(container).first)
            #expect(finding.place == "Work.room" && finding.count == 2)
            #expect(finding.message.contains("does not enforce"))
            let context = container.viewContext
            let room = try #require(try works(context).first?.value(forKey: "room"))
            let third = ManagedObject(
                entity: try #require(Self.model.entity(named: "Work")), context: context)
            try third.setValue(room, forKey: "room")
            try context.save()
            // What else there is to refuse is refused for itself alone.
            try third.setValue("w0", forKey: "code")
            let error = #expect(throws: SaveConflictError.self) { try context.save() }
            #expect(error?.conflicts.count == 1)
            context.rollback()
            context.delete(third)
            try context.save()
        }
    }

    @Test(arguments: earlier)
    func theConstraintHoldsOnceNothingIsSharedAndTheStoreIsOpenedAgain(
        fixture: StoreFormatTests.Fixture
    ) throws {
        let store = try store(fixture)
        do {
            let container = try open(store)
            let context = container.viewContext
            var rooms: Set<ManagedObjectID> = []
            for work in try works(context) {
                let room = try #require(try work.value(forKey: "room") as? ManagedObject)
                if !rooms.insert(room.objectID).inserted { try work.setValue(nil, forKey: "room") }
            }
            try context.save()
            #expect(try sharing(container).isEmpty)
        }
        let container = try open(store)
        let context = container.viewContext
        let room = try #require(try works(context).first?.value(forKey: "room"))
        let work = ManagedObject(
            entity: try #require(Self.model.entity(named: "Work")), context: context)
        try work.setValue(room, forKey: "room")
        let error = #expect(throws: SaveConflictError.self) { try context.save() }
        guard case .uniqueness(["room"], _)? = error?.conflicts.first?.kind else {
            Issue.record("no conflict of uniqueness")
            return
        }
        #expect(try sharing(container).isEmpty)
    }

    @Test(arguments: StoreFormatTests.Fixture.all)
    func aStoreOfThePresentFormatIsOfAnotherModel(fixture: StoreFormatTests.Fixture) throws {
        let store = try store(fixture)
        if Self.earlier.contains(where: { $0.name == fixture.name }) {
            // Also once it was raised with the model that has no such constraint.
            _ = try PersistentContainer.open(model: Exhibition.model, stores: [store])
        }
        let error = #expect(throws: StoreError.self) { try open(store) }
        // Rows share values, and the files before stores kept their models say nothing of theirs.
        let codes: [StoreError.Code] = [.uniquenessViolated, .sourceModelMissing]
        #expect(codes.contains(try #require(error?.code)))
    }
}
