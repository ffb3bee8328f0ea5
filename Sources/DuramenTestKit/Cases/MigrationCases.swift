import DuramenModel
import DuramenQuery
import DuramenStore
import Foundation

/// Law 15: a migration changes a store's model and keeps its objects.
enum MigrationCases {
    static var all: [ConformanceCase] { values + relationships + refusals + others }

    private static func claim(
        _ name: String, requires others: StoreCapabilities = [],
        _ body: @escaping @Sendable (World) throws -> Void
    ) -> ConformanceCase {
        ConformanceCase(.migration, name, requires: others.union(.schemaMigration)) { driver in
            try body(World(StoreDriver(driver.fixture, model: MigrationModel.first)))
        }
    }

    // MARK: - Values

    private static var values: [ConformanceCase] {
        [
            claim("Objects answer under the new model as its changes say") { world in
                var next = MigrationModel()
                next["Person"].attributes += [
                    AttributeDescription("rating", .double, default: .double(0.5)),
                    AttributeDescription("height", .double, isOptional: true),
                ]
                next["Person"].attributes.removeAll { $0.name == "remark" }
                next["Person"].rename("note", to: "comment", identifier: "note")
                next["Person"].change("age") { $0.type = .integer64 }
                let driver = try world.driver.migrated(to: next)
                try checkEqual(
                    try driver.values(driver.id("Person", world.anna)),
                    [
                        "name": .text("Anna"), "age": .integer(70_000), "comment": .text("early"),
                        "rating": .double(0.5), "home": .objectID(driver.id("Villa", world.villa)),
                        "garden": .objectID(driver.id("Villa", world.villa)),
                    ], "one object")
                try checkEqual(
                    try driver.values(driver.id("Child", world.ben))?["school"], .text("First"),
                    "one of a sub-entity")
                try checkEqual(
                    try driver.contents().records.count, world.contents.records.count,
                    "the number of objects")
            },
            claim("What a version leaves out does not come back with a later one") { world in
                var without = MigrationModel()
                without["Person"].attributes.removeAll { $0.name == "remark" }
                var driver = try world.driver.migrated(to: without)
                // Some rows are written meanwhile, and some are not.
                try driver.commit {
                    try $0.update(driver.id("Person", world.dana), ["note": .text("late")])
                }
                var with = MigrationModel()
                with["Person"].versionHashModifier = "again"
                driver = try driver.migrated(to: with)
                for (key, note) in [(world.anna, "early"), (world.dana, "late")] {
                    let values = try driver.values(driver.id("Person", key))
                    try checkEqual(values?["note"], .text(StoredText(note)), "what stays")
                    try checkEqual(values?["remark"], nil, "what was left out")
                }
            },
            claim("A default that changes later changes no object") { world in
                func version(_ value: Int64) -> MigrationModel {
                    var version = MigrationModel()
                    version["Person"].attributes.append(
                        AttributeDescription("rank", .integer32, default: .integer(value)))
                    version["Person"].versionHashModifier = "\(value)"
                    return version
                }
                var driver = try world.driver.migrated(to: version(1))
                driver = try driver.migrated(to: version(2))
                driver = try driver.reopened()
                try checkEqual(
                    try driver.values(driver.id("Person", world.anna))?["rank"], .integer(1),
                    "the value of the first default")
            },
            claim("An attribute that is renamed twice keeps its values") { world in
                var second = MigrationModel()
                second["Person"].rename("note", to: "comment", identifier: "note")
                var third = MigrationModel()
                third["Person"].rename("note", to: "words", identifier: "note")
                let skipping = try World(
                    StoreDriver(world.driver.fixture, model: MigrationModel.first))
                for driver in [
                    try world.driver.migrated(to: second).migrated(to: third),
                    try skipping.driver.migrated(to: third),
                ] {
                    try checkEqual(
                        try driver.values(driver.id("Person", world.anna))?["words"],
                        .text("early"), "what was renamed")
                }
            },
            claim("Queries find old objects as they find those that were written since") { world in
                var next = MigrationModel()
                next["Person"].attributes.append(
                    AttributeDescription("rank", .integer32, default: .integer(7)))
                next["Person"].rename("age", to: "years", identifier: "age")
                next["Person"].indexes = [IndexDescription("rank"), IndexDescription("years")]
                let driver = try world.driver.migrated(to: next)
                let query = driver.query(
                    "Person",
                    where: .and([
                        .keyPath("rank", .equal, .integer(7)),
                        .keyPath("years", .notEqual, .null),
                    ]),
                    sortedBy: [FetchSortDescriptor("years")])
                func found() throws -> [Int64] {
                    try QueryExecution(query, on: driver.store, in: driver.store.snapshot())
                        .rows().map(\.key)
                }
                try checkEqual(try found(), [world.ben, world.anna], "what is found")
                try driver.commit {
                    for (entity, key) in [("Person", world.anna), ("Child", world.ben)] {
                        try $0.update(driver.id(entity, key), ["note": .text("written")])
                    }
                }
                try checkEqual(try found(), [world.ben, world.anna], "what is found later")
            },
        ]
    }

    // MARK: - Relationships

    private static var relationships: [ConformanceCase] {
        [
            claim("Keys, pairs and their order stay under other names") { world in
                let uuid = world.driver.store.handle.uuid
                var next = MigrationModel()
                next["Person"].name = "Human"
                next["Human"].renamingIdentifier = "Person"
                next["Child"].superentity = "Human"
                next["Human"].changeRelationship("tags") {
                    $0.name = "labels"
                    $0.renamingIdentifier = "tags"
                }
                next["Human"].changeRelationship("reports") {
                    $0.name = "team"
                    $0.renamingIdentifier = "reports"
                    $0.destination = "Human"
                }
                next["Human"].changeRelationship("boss") {
                    $0.destination = "Human"
                    $0.inverse = "team"
                }
                next["Place"].changeRelationship("residents") { $0.destination = "Human" }
                next["Villa"].changeRelationship("gardeners") { $0.destination = "Human" }
                next["Tag"].changeRelationship("people") { $0.destination = "Human" }
                let driver = try world.driver.migrated(to: next)
                try checkEqual(driver.store.handle.uuid, uuid, "the store's identity")
                try checkEqual(
                    try driver.store.metadata().migrations.map(\.renamedEntities),
                    [["Person": "Human"]], "what entities were called before")
                let anna = driver.id("Human", world.anna)
                try checkEqual(
                    try driver.orderedDestinations("Human.labels", of: anna),
                    [
                        OrderedDestination(driver.id("Tag", world.blue), order: 1),
                        OrderedDestination(driver.id("Tag", world.red), order: 2),
                    ], "pairs with numbers")
                try checkEqual(
                    try driver.destinations("Tag.people", of: driver.id("Tag", world.red)), [anna],
                    "pairs from the other side")
                try checkEqual(
                    try driver.orderedDestinations("Human.team", of: anna),
                    [
                        OrderedDestination(driver.id("Human", world.dana), order: 1),
                        OrderedDestination(driver.id("Child", world.ben), order: 3),
                    ], "members with numbers")
                let new = try driver.store.allocateKeys(1, for: driver.entity("Human").id)
                try check(
                    new.lowerBound > max(world.anna, world.ben, world.dana),
                    "the key \(new.lowerBound) is handed out again")
            },
            claim("A to-one becomes a to-many that both sides see") { world in
                var next = MigrationModel()
                next["Person"].changeRelationship("home") { $0.isToMany = true }
                let driver = try world.driver.migrated(to: next)
                let (anna, villa) = (
                    driver.id("Person", world.anna), driver.id("Villa", world.villa)
                )
                try checkEqual(
                    try driver.destinations("Person.home", of: anna), [villa], "one side")
                try checkEqual(
                    try driver.destinations("Place.residents", of: villa), [anna], "the other")
            },
            claim("A reference whose destination becomes the parent leads where it led") { world in
                var next = MigrationModel()
                next["Person"].changeRelationship("garden") { $0.destination = "Place" }
                next["Place"].relationships += next["Villa"].relationships
                next["Villa"].relationships = []
                let driver = try world.driver.migrated(to: next)
                try checkEqual(
                    try driver.values(driver.id("Person", world.anna))?["garden"],
                    .objectID(driver.id("Villa", world.villa)), "the reference")
            },
            claim("A to-many becomes the to-one that it was for every object") { world in
                var next = MigrationModel()
                next["Place"].changeRelationship("residents") { $0.isToMany = false }
                let driver = try world.driver.migrated(to: next)
                for (place, resident) in [
                    (driver.id("Villa", world.villa), driver.id("Person", world.anna)),
                    (driver.id("Place", world.place), driver.id("Child", world.ben)),
                ] {
                    try checkEqual(
                        try driver.values(place)?["residents"], .objectID(resident), "one end")
                    try checkEqual(
                        try driver.values(resident)?["home"], .objectID(place), "the other end")
                }
            },
            claim("What led to objects of an entity that goes leads nowhere") { world in
                var next = MigrationModel()
                next.remove("Villa")
                next["Person"].relationships.removeAll { $0.name == "garden" }
                let driver = try world.driver.migrated(to: next)
                let anna = try driver.values(driver.id("Person", world.anna))
                try checkEqual(anna?["name"], .text("Anna"), "what stays")
                try checkEqual(anna?["home"], nil, "the reference")
                try checkEqual(
                    try driver.values(driver.id("Child", world.ben))?["home"],
                    .objectID(driver.id("Place", world.place)), "another one")
            },
        ]
    }

    // MARK: - Refusals

    private static var refusals: [ConformanceCase] {
        [
            claim("Values that are none of the new type are refused") { world in
                var next = MigrationModel()
                next["Person"].change("age") { $0.type = .integer16 }
                try world.expectRefusal(.valuesDoNotFit, of: next)
            },
            claim("A to-many of two does not become a to-one") { world in
                var next = MigrationModel()
                next["Person"].changeRelationship("reports") {
                    $0.isToMany = false
                    $0.isOrdered = false
                }
                try world.expectRefusal(.valuesDoNotFit, of: next)
            },
            claim("A constraint that objects break already is refused") { world in
                var next = MigrationModel()
                next["Person"].uniquenessConstraints = [["note"]]
                try world.expectRefusal(.uniquenessViolated, of: next)
            },
            claim("A loss that is not allowed is refused") { world in
                var next = MigrationModel()
                next["Person"].attributes.removeAll { $0.name == "remark" }
                var policy = MigrationPolicy()
                policy.loss = .none
                try world.expectRefusal(.notInferable, of: next, policy)
            },
            claim("A store that is not to be migrated stays as it is") { world in
                var next = MigrationModel()
                next["Person"].versionHashModifier = "next"
                try world.expectRefusal(.migrationRequired, of: next, nil)
            },
            claim("An earlier version does not open the store again") { world in
                var next = MigrationModel()
                next["Person"].attributes.removeAll { $0.name == "remark" }
                let driver = try world.driver.migrated(to: next)
                try World(driver, holding: world).expectRefusal(
                    .storeIsNewer, of: MigrationModel())
            },
        ]
    }

    // MARK: - Others

    private static var others: [ConformanceCase] {
        [
            claim("A store is migrated once") { world in
                var next = MigrationModel()
                next["Person"].versionHashModifier = "next"
                var driver = try world.driver.migrated(to: next)
                let contents = try driver.contents()
                driver = try driver.reopened()
                let migrations = try driver.store.metadata().migrations
                try checkEqual(
                    migrations.map(\.target), [driver.model.versionChecksum],
                    "the changes of the model")
                try checkEqual(
                    migrations.map(\.source), [MigrationModel.first.versionChecksum],
                    "the version before")
                try checkSame(try driver.contents(), contents, "the store after a second opening")
            },
            claim("A change that is cancelled has changed nothing") { world in
                var next = MigrationModel()
                next["Person"].attributes.removeAll { $0.name == "remark" }
                let metadata = try world.driver.store.metadata()
                // The first report comes before anything is changed.
                try checkThrows(.cancelled, "a change that is cancelled at once") {
                    try world.driver.migrated(to: next) { $0.cancel() }
                }
                var driver = try world.driver.reopened()
                for phase in [MigrationProgress.Phase.rows, .indexes] {
                    // Not every store reports progress in each phase.
                    do {
                        _ = try driver.migrated(to: next) { progress in
                            if progress.phase == phase { progress.cancel() }
                        }
                        return
                    } catch let error as StoreError where error.code == .cancelled {
                        driver = try driver.reopened()
                    }
                    try checkSame(try driver.contents(), world.contents, "the store")
                    try checkEqual(try driver.store.metadata(), metadata, "the metadata")
                }
            },
            claim("Whoever has the store open meanwhile writes nothing afterwards") { world in
                let fixture = world.driver.fixture
                let before = world.contents
                let other = StoreDriver(
                    try fixture.opened(again: world.driver.store), fixture)
                let snapshot = try world.driver.store.snapshot()
                var late = world.driver.draft()
                late.update(
                    try world.driver.existingRow(world.driver.id("Tag", world.red), in: snapshot),
                    ["word": .text("late")])
                var next = MigrationModel()
                next["Person"].versionHashModifier = "next"
                do {
                    let driver = try other.migrated(to: next)
                    try checkSame(
                        try world.driver.contents(in: snapshot), before, "the old snapshot")
                    try checkThrows(.storeMigrated, "a save with the old model") {
                        try world.driver.store.save(late.changes)
                    }
                    try checkEqual(
                        try driver.values(driver.id("Tag", world.red))?["word"], .text("red"),
                        "what the save would have changed")
                } catch let error as StoreError where error.code == .storeBusy {
                    // A store may also refuse to migrate while it is in use.
                    try checkSame(try world.driver.contents(), before, "the store")
                    try world.driver.commit(late)
                }
            },
            claim("The history tells of old saves in the new names", requires: .history) { world in
                let history = try world.driver.store.historyTracking()
                try history.beginHistory()
                let start = try world.driver.store.snapshot().generation.rawValue
                try world.driver.commit {
                    try $0.update(
                        world.driver.id("Person", world.anna), ["note": .text("changed")])
                }
                var next = MigrationModel()
                next["Person"].rename("note", to: "comment", identifier: "note")
                let driver = try world.driver.migrated(to: next)
                let told = try driver.store.historyTracking().history(
                    HistoryRequest(after: start))
                try checkEqual(
                    told.first?.changes?.map(\.updatedProperties), [["comment"]],
                    "the properties of the update")
                try checkEqual(
                    told.dropFirst().map(\.author), ["duramen.migration"],
                    "the change of the model")
            },
        ]
    }
}

/// Objects of the first version.
private struct World {
    let driver: StoreDriver
    let anna: Int64
    let ben: Int64
    let dana: Int64
    let villa: Int64
    let place: Int64
    let red: Int64
    let blue: Int64
    let contents: StoreContents

    init(_ driver: StoreDriver) throws {
        self.driver = driver
        var draft = driver.draft()
        let villa = try draft.insert("Villa", ["title": .text("Sea")])
        let place = try draft.insert("Place", ["title": .text("Square")])
        let red = try draft.insert("Tag", ["word": .text("red")])
        let blue = try draft.insert("Tag", ["word": .text("blue")])
        let anna = try draft.insert(
            "Person",
            [
                "name": .text("Anna"), "age": .integer(70_000), "note": .text("early"),
                "remark": .text("kept"), "home": .objectID(villa), "garden": .objectID(villa),
            ])
        let ben = try draft.insert(
            "Child",
            [
                "name": .text("Ben"), "age": .integer(12), "school": .text("First"),
                "home": .objectID(place), "boss": .objectID(anna), "boss.order": .integer(3),
            ])
        let dana = try draft.insert(
            "Person",
            [
                "name": .text("Dana"), "note": .text("early"), "remark": .text("also"),
                "boss": .objectID(anna), "boss.order": .integer(1),
            ])
        draft.relate("Person.tags", anna, red, order: 2)
        draft.relate("Person.tags", anna, blue, order: 1)
        try driver.commit(draft)
        self.anna = anna.key
        self.ben = ben.key
        self.dana = dana.key
        self.villa = villa.key
        self.place = place.key
        self.red = red.key
        self.blue = blue.key
        contents = try driver.contents()
    }

    /// The objects of another world, in a store of a later version.
    init(_ driver: StoreDriver, holding other: World) throws {
        self.driver = driver
        anna = other.anna
        ben = other.ben
        dana = other.dana
        villa = other.villa
        place = other.place
        red = other.red
        blue = other.blue
        contents = try driver.contents()
    }

    /// Expects a migration to be refused, and the store to be unchanged.
    func expectRefusal(
        _ code: StoreError.Code, of next: MigrationModel,
        _ policy: MigrationPolicy? = MigrationPolicy()
    ) throws {
        let metadata = try driver.store.metadata()
        try checkThrows(code, "a change of the model") {
            try driver.migrated(to: next, policy)
        }
        let reopened = try driver.reopened()
        try checkSame(try reopened.contents(), contents, "the store")
        try checkEqual(try reopened.store.metadata(), metadata, "the metadata")
    }
}

extension StoreDriver {
    /// The ID of an object of this store.
    fileprivate func id(_ name: String, _ key: Int64) -> ManagedObjectID {
        ManagedObjectID(store: store.handle, entity: entity(name).handle, key: key)
    }

    /// Closes the store, and opens it with another version of its model; without a policy,
    /// migrations are not allowed.
    fileprivate func migrated(
        to next: MigrationModel, _ policy: MigrationPolicy? = MigrationPolicy(),
        _ observe: (@Sendable (MigrationProgress) -> Void)? = nil
    ) throws -> StoreDriver {
        StoreDriver(
            try fixture.reopen(store, with: next.model()) { description in
                var description =
                    policy.map { description.migrating($0) } ?? description.withoutMigration()
                description.migrationObserver = observe
                return description
            }, fixture)
    }
}
