import Duramen
import DuramenMemory
import DuramenStore
import Foundation
import StoreTestSupport
import Testing

/// Which stages lead where, and which are refused.
@Suite struct StagePlanTests {
    static let kinds = StoreKind.allCases

    /// Versions 1 to 5 of a model. Only neighbours can be inferred between 2 and 3: one attribute
    /// is mandatory without a value in 3.
    private static func version(_ number: Int) throws -> ManagedObjectModel {
        var attributes = [AttributeDescription.text("name")]
        if number >= 2 { attributes.append(.text("two")) }
        if number >= 3 { attributes.append(AttributeDescription("three", .integer32)) }
        if number >= 4 {
            attributes.append(AttributeDescription("four", .double, isOptional: true))
        }
        if number >= 5 { attributes.removeAll { $0.name == "two" } }
        return try ManagedObjectModel(
            [EntityDescription(name: "Person", attributes: attributes)],
            versionIdentifiers: ["\(number)"])
    }

    private static func reference(_ number: Int) throws -> ManagedObjectModelReference {
        ManagedObjectModelReference(model: try version(number))
    }

    private static func lightweight(_ numbers: Int...) throws -> LightweightMigrationStage {
        LightweightMigrationStage(try numbers.map(reference))
    }

    private static func custom(
        _ from: Int, _ to: Int, filling: Bool = true
    ) throws -> CustomMigrationStage {
        var stage = CustomMigrationStage(
            migratingFrom: try reference(from), to: try reference(to))
        if filling, to >= 3, from < 3 {
            stage.steps = [.fill("Person", "three", with: .integer(3))]
        }
        return stage
    }

    private func store(_ kind: StoreKind, _ number: Int) throws -> VersionedStore {
        let store = VersionedStore(kind)
        try store.open(Self.version(number)) { (context) throws in
            let person = context.insert("Person", ["name": "a"])
            if number >= 3 { try person.setValue(3, forKey: "three") }
            try context.save()
        }
        return store
    }

    /// The versions at which a plan stops.
    private func stops(
        _ store: VersionedStore, _ target: Int, _ stages: [any MigrationStage]
    ) throws -> [String] {
        let manager = try StagedMigrationManager(stages)
        let plan = try MigrationPlanner(model: Self.version(target))
            .plan(for: store.description.migrating(with: manager))
        return plan.refusals.isEmpty
            ? plan.hops.map { ($0.stage == nil ? "" : "!") + ($0.change.target.shortName) }
            : ["refused"] + plan.refusals
    }

    @Test("B1: Every arrangement of stages is planned, or refused by name", arguments: kinds)
    func b1EveryArrangementOfStagesIsPlannedOrRefused(kind: StoreKind) throws {
        let store = try store(kind, 1)
        defer { store.cleanUp() }
        let planned: [([any MigrationStage], Int, [String])] = [
            ([try Self.custom(2, 3)], 3, ["unknown"]),
            ([try Self.lightweight(1, 2), try Self.custom(2, 3)], 3, ["2", "!3"]),
            ([try Self.lightweight(1), try Self.custom(2, 3)], 3, ["2", "!3"]),
            ([try Self.lightweight(1, 2), try Self.custom(2, 3)], 5, ["2", "!3", "5"]),
            (
                [try Self.lightweight(1, 2), try Self.custom(2, 3), try Self.lightweight(3, 4)], 5,
                ["2", "!3", "5"]
            ),
            (
                [try Self.lightweight(1, 2), try Self.custom(2, 3), try Self.custom(3, 4)], 5,
                ["2", "!3", "!4", "5"]
            ),
            ([try Self.custom(1, 3)], 3, ["!3"]), ([try Self.custom(1, 3)], 4, ["!3", "4"]),
            ([try Self.lightweight(1, 2)], 2, ["2"]),
            // A version that was written later is left out when the store never had it.
            (
                [try Self.lightweight(1, 2), try Self.custom(2, 3), try Self.lightweight(3, 4, 5)],
                2, ["2"]
            ),
        ]
        for (stages, target, expected) in planned {
            if expected == ["unknown"] {
                let error = #expect(throws: StoreError.self) { try stops(store, target, stages) }
                #expect(error?.code == .unknownVersion)
                #expect(error?.message.contains("The nearest is '2'; different are Person") == true)
            } else {
                #expect(try stops(store, target, stages) == expected)
            }
        }
        // What is not inferable says so, with what is in the way.
        let refused = try stops(store, 3, [Self.lightweight(1, 2, 3)])
        #expect(refused.first == "refused")
        #expect(refused.last?.contains("Person.three") == true)
    }

    @Test("B22: Stages that do not follow each other are refused when they are given")
    func b22StagesThatDoNotFollowEachOtherAreRefused() throws {
        let cases: [([any MigrationStage], String)] = [
            ([LightweightMigrationStage([String]())], "Stage 1 has no version"),
            ([try Self.custom(1, 1)], "Stage 1 ('1 -> 1') leads from a version to itself"),
            (
                [try Self.custom(1, 2), try Self.custom(1, 3)],
                "Stage 2 comes back to the version '1', which is number 1"
            ),
            (
                [try Self.custom(2, 3), try Self.custom(1, 2)],
                "Stage 2 comes back to the version '2'"
            ),
            (
                [
                    CustomMigrationStage(
                        migratingFrom: ManagedObjectModelReference(
                            model: try Self.version(1), versionChecksum: "x", name: "one"),
                        to: try Self.reference(2))
                ], "Stage 1 names the version 'one' by the checksum x"
            ),
        ]
        for (stages, text) in cases {
            let error = #expect(throws: StoreError.self) { try StagedMigrationManager(stages) }
            #expect(error?.code == .invalidStages)
            #expect(error?.message.contains(text) == true, "\(error as Any)")
        }
    }

    @Test("B2: Neighbouring stages share a version, and equal versions are one", arguments: kinds)
    func b2NeighbouringStagesShareAVersion(kind: StoreKind) throws {
        let store = try store(kind, 1)
        defer { store.cleanUp() }
        let again = ManagedObjectModelReference(model: try Self.version(1), name: "1, rebuilt")
        let stages: [any MigrationStage] = [
            LightweightMigrationStage([try Self.reference(1), again, try Self.reference(2)]),
            LightweightMigrationStage([try Self.reference(2), again, try Self.reference(2)]),
            try Self.custom(2, 3),
        ]
        #expect(try stops(store, 3, stages) == ["2", "!3"])
        let manager = try StagedMigrationManager(stages)
        try store.open(Self.version(3), by: manager) { (context) throws in
            #expect(try context.values("three", of: "Person") == [1: .integer(3)])
        }
    }

    @Test("B3: A store of no listed version goes on where the manager says", arguments: kinds)
    func b3AStoreOfNoListedVersionGoesOnWhereTheManagerSays(kind: StoreKind) throws {
        let odd = try ManagedObjectModel([
            EntityDescription(name: "Person", attributes: [.text("name"), .text("odd")])
        ])
        let store = VersionedStore(kind)
        defer { store.cleanUp() }
        try store.open(odd) { (context) throws in
            _ = context.insert("Person", ["name": "a", "odd": "b"])
            try context.save()
        }
        let manager = try StagedMigrationManager([Self.custom(2, 3)])
        #expect(try store.refusal(Self.version(3), by: manager).code == .unknownVersion)
        let entering = try manager.entering(before: Self.reference(2))
        var policy = MigrationPolicy()
        policy.notRenamed = ["Person.two"]
        let description = store.description.migrating(policy).migrating(with: entering)
        try PersistentContainer.open(model: Self.version(3), stores: [description]).close()
        try store.openUnchanged(Self.version(3)) { (context) throws in
            #expect(try context.values("three", of: "Person") == [1: .integer(3)])
        }
        let error = #expect(throws: StoreError.self) {
            try manager.entering(before: Self.reference(5))
        }
        #expect(error?.code == .invalidStages)
    }

    @Test("B4: A model that is needed and not there is named", arguments: kinds)
    func b4AModelThatIsNeededAndNotThereIsNamed(kind: StoreKind) throws {
        let store = try store(kind, 1)
        defer { store.cleanUp() }
        let second = ManagedObjectModelReference(
            versionChecksum: try Self.version(2).versionChecksum, name: "two")
        var stage = CustomMigrationStage(
            migratingFrom: ManagedObjectModelReference(
                versionChecksum: try Self.version(1).versionChecksum), to: second)
        stage.label = "first"
        // The store keeps the one, the program has the other.
        #expect(try stops(store, 2, [stage]) == ["!2"])
        let error = #expect(throws: StoreError.self) { try stops(store, 4, [stage]) }
        #expect(error?.code == .modelReferenceNotFound)
        #expect(error?.message.contains("'two'") == true)
        // An archive is as good as a model, and another stage may bring it.
        let archive = try ManagedObjectModelReference(archive: Self.version(2).archived())
        #expect(
            try stops(store, 2, [stage, LightweightMigrationStage([archive])]) == ["!2"])
    }

    @Test(
        "B33: Stages that were deleted are left out, and their stores still come along",
        arguments: kinds)
    func b33StagesThatWereDeletedAreLeftOut(kind: StoreKind) throws {
        let store = try store(kind, 3)
        defer { store.cleanUp() }
        // Stages for 1 and 2 are gone.
        #expect(try stops(store, 5, [Self.lightweight(3, 4)]) == ["5"])
        #expect(try stops(store, 5, [Self.lightweight(4, 5)]) == ["5"])
        // A custom stage is never skipped silently.
        let error = #expect(throws: StoreError.self) {
            try stops(store, 5, [Self.custom(4, 5)])
        }
        #expect(error?.code == .unknownVersion)
    }

    @Test("Steps name what the versions have when they are given")
    func stepsNameWhatTheVersionsHave() throws {
        let steps: [(MigrationStep, String)] = [
            (.fill("Person", "nothing", with: .integer(1)), "no stored attribute 'Person.nothing'"),
            (.fill("Nobody", "three", with: .integer(1)), "no entity 'Nobody'"),
            (.fill("Person", "three", with: .text("x")), "the value is not of type Integer 32"),
            (
                .fill(
                    "Person", "three", with: .integer(1),
                    where: .keyPath("no", .equal, StoredValue.null)), "the condition does not fit"
            ),
            (
                .transform("Person", reading: ["four"], writing: []) { _, _ in },
                "the version before has no property 'Person.four'"
            ),
            (.deduplicate("Person", by: []), "name the attributes"),
            (.deduplicate("Person", by: ["three"], others: .null("three")), "is mandatory"),
            (.retype("Person", to: ["Nobody"]) { _ in nil }, "no entity 'Nobody'"),
            (
                .convert("Person", "three") { (value: Int32) -> Int32? in value },
                "is not in the version before"
            ),
        ]
        for (step, text) in steps {
            var stage = try Self.custom(2, 3, filling: false)
            stage.steps = [step]
            let error = #expect(throws: StoreError.self) { try StagedMigrationManager([stage]) }
            #expect(error?.code == .invalidStages)
            #expect(error?.message.contains(text) == true, "\(error as Any)")
        }
    }

    @Test(arguments: kinds)
    func withoutInferenceEveryChangeIsListed(kind: StoreKind) throws {
        let store = try store(kind, 1)
        defer { store.cleanUp() }
        var description = store.description
        description.shouldInferMappingModelAutomatically = false
        func code() -> StoreError.Code? {
            storeErrorCode {
                _ = try MigrationPlanner(model: Self.version(2)).plan(for: description)
            }
        }
        #expect(code() == .unknownVersion)
        description = try description.migrating(
            with: StagedMigrationManager([Self.lightweight(1)]))
        #expect(code() == .unknownVersion)
        description = try description.migrating(
            with: StagedMigrationManager([Self.lightweight(1, 2)]))
        #expect(code() == nil)
    }

    @Test("A store of one configuration has no custom stages", arguments: kinds)
    func aStoreOfOneConfigurationHasNoCustomStages(kind: StoreKind) throws {
        func model(_ number: Int) throws -> ManagedObjectModel {
            try ManagedObjectModel(
                Self.version(number).descriptions,
                configurations: [ConfigurationDescription("people", entities: ["Person"])])
        }
        let store = VersionedStore(kind)
        defer { store.cleanUp() }
        let description = store.description.configuration("people")
        try description.open(model: model(1)).close()
        let manager = try StagedMigrationManager([Self.custom(1, 2)])
        #expect(
            storeErrorCode {
                _ = try MigrationPlanner(model: model(2))
                    .plan(for: description.migrating(with: manager))
            } == .unsupported)
    }

    @Test("A plan says how long its steps take", arguments: [StoreKind.sqlite, .lmdb])
    func aPlanSaysHowLongItsStepsTake(kind: StoreKind) throws {
        let store = try store(kind, 1)
        defer { store.cleanUp() }
        func seconds(_ steps: Int) throws -> Double {
            var stage = try Self.custom(1, 2)
            stage.steps = (0..<steps).map { _ in
                .fill("Person", "two", with: .text("x"))
            }
            let description = store.description.migrating(with: try StagedMigrationManager([stage]))
            let plan = try MigrationPlanner(model: Self.version(2)).plan(for: description)
            return try MigrationSurvey(of: plan).estimate.seconds
        }
        #expect(try seconds(2) > seconds(1))
    }

    @Test("A plan by stages reads like this", arguments: [StoreKind.sqlite])
    func aPlanByStagesReadsLikeThis(kind: StoreKind) throws {
        let store = try store(kind, 1)
        defer { store.cleanUp() }
        var stage = try Self.custom(2, 3)
        stage.label = "Number them"
        let manager = try StagedMigrationManager([Self.lightweight(1, 2), stage])
        let plan = try MigrationPlanner(model: Self.version(5))
            .plan(for: store.description.migrating(with: manager))
        #expect(
            "\(plan)" == """
                \(store.description.location)  1 -> 5
                1  1 -> 2  inferred
                  Person.two: attribute added
                2  2 -> 3  custom 'Number them'
                  Person.three: attribute added
                  fill Person.three
                3  3 -> 5  inferred
                  Person.four: attribute added
                  Person.two: attribute removed; LOSS: its values
                """)
    }
}
