import DocumentationSupport
import Duramen
import DuramenMacros
import DuramenMemory
import DuramenSQLite
import Foundation
import Testing

/// The versions of the article's model.
enum StagedModel {
    enum First {
        @Managed
        final class Person: ManagedObject {
            var name: String?
            var email: String?
        }
    }

    enum Second {
        @Managed
        final class Person: ManagedObject {
            var firstName: String
            var lastName: String?
            @Attribute(.unique) var email: String?
        }
    }

    enum Homes {
        enum First {
            @Managed
            final class Person: ManagedObject {
                var name: String?
                var street: String?
            }
        }

        enum Second {
            @Managed
            final class Person: ManagedObject {
                var name: String?
                @Relationship var address: Address?
            }

            @Managed
            final class Address: ManagedObject {
                var street: String?
                @Relationship(inverse: \Person.address) var people: ToMany<Person>
            }
        }
    }

    static let names = [
        ("Ada Lovelace", "ada@example.org"), ("Ada King", "ada@example.org"), ("Plato", nil),
    ]
}

/// What the article says of stages.
@MainActor struct MigratingByStagesTests {
    private let folder: ArticleFolder
    private let models: String
    private let store: PersistentStoreDescription
    private let model: ManagedObjectModel

    init() throws {
        folder = try ArticleFolder()
        models = folder.file("Models")
        store = .sqlite(folder.file("people.sqlite"))
        model = try ManagedObjectModel(StagedModel.Second.Person.self)
        let first = try ManagedObjectModel(StagedModel.First.Person.self)
        try FrozenModels.freeze(first, as: "1.0", in: models)
        try FrozenModels.freeze(model, as: "2.0", in: models)
        let container = try PersistentContainer.open(model: first, stores: [store])
        for (name, email) in StagedModel.names {
            let person = StagedModel.First.Person(context: container.viewContext)
            (person.name, person.email) = (name, email)
            // Keys in the order of the list.
            try container.viewContext.save()
        }
        try container.close()
    }

    private func stage() throws -> CustomMigrationStage {
        // snippet: stages.stage
        var split = CustomMigrationStage(
            migratingFrom: try ManagedObjectModelReference(path: "\(models)/1.0.duramenmodel"),
            to: try ManagedObjectModelReference(path: "\(models)/2.0.duramenmodel"))
        split.label = "Split names"
        split.steps = [
            .transform("Person", reading: ["name"], writing: ["firstName", "lastName"]) {
                old, new in
                let name: String = old["name"] ?? ""
                let parts = name.split(separator: " ", maxSplits: 1).map(String.init)
                new["firstName"] = parts.first ?? ""
                new["lastName"] = parts.dropFirst().first
            },
            .deduplicate("Person", by: ["email"], keep: .oldest),
        ]
        // end
        return split
    }

    private func description() throws -> PersistentStoreDescription {
        store.migrating(with: try StagedMigrationManager([stage()]))
    }

    private func names(_ container: PersistentContainer) throws -> [String] {
        try container.viewContext.fetch(
            FetchRequest<StagedModel.Second.Person>().sorted(by: \.firstName)
        ).map { "\($0.firstName)/\($0.lastName ?? "-")" }
    }

    @Test func openingRunsTheStages() async throws {
        let split = try stage()
        // snippet: stages.open
        let manager = try StagedMigrationManager([split])
        let container = try await PersistentContainer(
            model: model, stores: [store.migrating(with: manager)])
        // end
        #expect(try names(container) == ["Ada/Lovelace", "Plato/-"])
        #expect(store.migrationBackups.count == 1)
        try container.close()
        // Nothing is left to do.
        try store.withoutMigration().open(model: model).close()
    }

    @Test func aStepThatThrowsLeavesTheStoreUnchanged() throws {
        var split = try stage()
        split.steps.removeFirst()
        let missing = #expect(throws: StoreError.self) {
            try store.migrating(with: StagedMigrationManager([split])).open(model: model)
        }
        #expect(missing?.code == .missingValue)
        split.steps = [.run("Give up") { _ in throw CancellationError() }]
        let failed = #expect(throws: StoreError.self) {
            try store.migrating(with: StagedMigrationManager([split])).open(model: model)
        }
        #expect(failed?.code == .stepFailed)
        try store.withoutMigration()
            .open(model: ManagedObjectModel(StagedModel.First.Person.self)).close()
    }

    @Test func stagesAreCheckedWhenTheyAreMade() throws {
        let split = try stage()
        var wrong = split
        wrong.steps.append(.delete("Animal"))
        let error = #expect(throws: StoreError.self) { try StagedMigrationManager([wrong]) }
        #expect(error?.code == .invalidStages)
        // snippet: stages.lightweight
        let first = try ManagedObjectModelReference(path: "\(models)/1.0.duramenmodel")
        let stages = try StagedMigrationManager([LightweightMigrationStage([first]), split])
        let description = store.migrating(with: try stages.entering(before: first))
        // end
        let plan = try MigrationPlanner(model: model).plan(for: description)
        #expect(plan.hops.map { $0.stage?.label } == ["Split names"])
    }

    @Test func aPlanShowsTheSteps() throws {
        let description = try self.description()
        // snippet: stages.plan
        let plan = try MigrationPlanner(model: model).plan(for: description)
        print(plan)
        print(try plan.dryRun().rows)
        // end
        let shown = try Article.named("MigratingByStages").output("stages.plan")
        let lines = [plan.description, try plan.dryRun().rows.description]
        #expect(
            lines.joined(separator: "\n").replacing(store.location, with: "people.sqlite")
                == shown)
    }

    @Test func aHandlerHasAContainer() throws {
        var split = try stage()
        split.steps.removeFirst()
        // snippet: stages.handler
        split.willMigrateHandler = { manager, stage in
            guard let container = manager.container else { return }
            try container.newBackgroundContext().performAndWait { context in
                let people = FetchRequest<ManagedObject>(entityName: "Person")
                for person in try context.fetch(people) {
                    let name = try person.value(forKey: "name") as? String
                    try person.setValue(name ?? "", forKey: "firstName")
                }
                try context.save()
            }
        }
        // end
        let container = try PersistentContainer.open(
            model: model, stores: [store.migrating(with: StagedMigrationManager([split]))])
        #expect(try names(container) == ["Ada Lovelace/-", "Plato/-"])
        try container.close()
    }

    @Test func progressIsShown() async throws {
        typealias Report = MigrationProgress
        let (reports, report) = AsyncStream<Report>.makeStream()
        let description = try self.description()
        // snippet: stages.progress
        let watched = description.onMigration { progress in
            print(progress.phase, progress.label, progress.rowsDone, "of", progress.rowsTotal)
        }
        // end
        let observed = watched.onMigration {
            watched.migrationObserver?($0)
            report.yield($0)
        }
        try await PersistentContainer(model: model, stores: [observed]).close()
        report.finish()
        var all: [Report] = []
        for await report in reports { all.append(report) }
        #expect(all.map(\.fraction) == all.map(\.fraction).sorted())
        #expect(all.last?.fraction == 1 && all.last?.phase == .end)
        #expect(all.contains { $0.phase == .steps && $0.label.hasPrefix("Split names") })
    }

    @Test func aMigrationIsCancelled() async throws {
        let description = try self.description()
        // snippet: stages.cancel
        let cancelling = description.onMigration { progress in
            if progress.phase == .steps { progress.cancel() }
        }
        do {
            _ = try await PersistentContainer(model: model, stores: [cancelling])
        } catch let error as StoreError where error.code == .cancelled {
            print("The store still has its own version.")
        }
        // end
        let plan = try MigrationPlanner(model: model).plan(for: description)
        #expect(!plan.isEmpty)
    }

    @Test func aStepUsesManagedObjects() throws {
        let homes = PersistentStoreDescription.memory(UUID().uuidString)
        defer {
            for copy in homes.migrationBackups { try? copy.destroyStore() }
            try? homes.destroyStore()
        }
        let first = try ManagedObjectModel(StagedModel.Homes.First.Person.self)
        let second = try ManagedObjectModel(
            StagedModel.Homes.Second.Person.self, StagedModel.Homes.Second.Address.self)
        let old = try PersistentContainer.open(model: first, stores: [homes])
        for street in ["Main Street", nil] {
            StagedModel.Homes.First.Person(context: old.viewContext).street = street
        }
        try old.viewContext.save()
        try old.close()
        var stage = CustomMigrationStage(
            migratingFrom: ManagedObjectModelReference(model: first),
            to: ManagedObjectModelReference(model: second))
        // snippet: stages.run
        stage.steps = [
            .run("Split addresses") { migration in
                try migration.forEachObject(of: "Person") { person in
                    guard let street = try person.value(forKey: "street") else { return }
                    let address = try migration.insert("Address")
                    try address.setValue(street, forKey: "street")
                    try person.setValue(address, forKey: "address")
                }
            }
        ]
        // end
        let container = try PersistentContainer.open(
            model: second, stores: [homes.migrating(with: StagedMigrationManager([stage]))])
        let people = try container.viewContext.fetch(
            FetchRequest<StagedModel.Homes.Second.Person>())
        #expect(people.count == 2)
        #expect(people.compactMap(\.address?.street) == ["Main Street"])
        try container.close()
    }
}
