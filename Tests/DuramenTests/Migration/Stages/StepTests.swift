import Duramen
import DuramenMemory
import DuramenModel
import DuramenStore
import Foundation
import StoreTestSupport
import Testing

/// What the steps of a stage do to objects.
@Suite struct StepTests {
    static let kinds = StoreKind.allCases

    /// Fills a store of one version and opens it with the next one, by steps between the two.
    private func migrate<R>(
        _ kind: StoreKind, _ old: ManagedObjectModel, _ new: ManagedObjectModel,
        _ steps: [MigrationStep], fill: (ManagedObjectContext) throws -> Void,
        _ body: (ManagedObjectContext) throws -> R
    ) throws -> R {
        let store = VersionedStore(kind)
        defer { store.cleanUp() }
        try store.open(old) { (context) throws in
            try fill(context)
            try context.save()
        }
        return try store.open(new, by: manager(old, new, steps), body)
    }

    private func manager(
        _ old: ManagedObjectModel, _ new: ManagedObjectModel, _ steps: [MigrationStep]
    ) throws -> StagedMigrationManager {
        var stage = CustomMigrationStage(
            migratingFrom: ManagedObjectModelReference(model: old),
            to: ManagedObjectModelReference(model: new))
        stage.steps = steps
        return try StagedMigrationManager([stage])
    }

    @Test("B7: A step reads what objects lead to, and both versions of each", arguments: kinds)
    func b7AStepReadsWhatObjectsLeadTo(kind: StoreKind) throws {
        func model(_ attributes: [AttributeDescription]) throws -> ManagedObjectModel {
            try ManagedObjectModel([
                EntityDescription(
                    name: "Book", attributes: attributes,
                    relationships: [
                        .toOne("author", destination: "Author", inverse: "books"),
                        .toMany("tags", destination: "Tag", isOrdered: true),
                    ]),
                EntityDescription(
                    name: "Author", attributes: [.text("name")],
                    relationships: [.toMany("books", destination: "Book")]),
                EntityDescription(name: "Tag", attributes: [.text("word")]),
            ])
        }
        let line = MigrationStep.transform(
            "Book", reading: ["title", "author", "tags"], writing: ["line"]
        ) { old, new in
            let title: String? = old["title"]
            let author = old.destination(forKey: "author")
            let name: String? = author?["name"]
            let words = old.destinations(forKey: "tags").map { $0["word"] ?? "" }
            let others = author?.destinations(forKey: "books").count ?? 0
            new["line"] =
                "\(name ?? "?"): \(title ?? "?") [\(words.joined(separator: " "))] of \(others)"
        }
        let lines = try migrate(
            kind, model([.text("title")]), model([.text("title"), .text("line")]), [line],
            fill: { context in
                let author = context.insert("Author", ["name": "Lem"])
                let tags = ["b", "a"].map { context.insert("Tag", ["word": $0]) }
                let book = context.insert("Book", ["title": "Solaris", "author": author])
                try book.setValue(tags, forKey: "tags")
                try context.save()
                _ = context.insert("Book", ["title": "Fiasco", "author": author])
                try context.save()
                _ = context.insert("Book", ["title": "Beowulf"])
            }
        ) { try $0.values("line", of: "Book") }
        #expect(
            lines == [
                1: .text("Lem: Solaris [b a] of 2"), 2: .text("Lem: Fiasco [] of 2"),
                3: .text("?: Beowulf [] of 0"),
            ])
    }

    @Test(
        "A renamed attribute is written by its new name and read by its old one", arguments: kinds)
    func aRenamedAttributeHasTwoNames(kind: StoreKind) throws {
        let values = try migrate(
            kind, People.model([.text("name")]), People.model([.text("label", was: "name")]),
            [
                .transform("Person", reading: ["name"], writing: ["label"]) { old, new in
                    let name: String? = old["name"]
                    new["label"] = name?.uppercased()
                }
            ], fill: { _ = $0.insert("Person", ["name": "a"]) }
        ) { try $0.values("label", of: "Person") }
        #expect(values == [1: .text("A")])
    }

    @Test("Attributes become elements of a composite", arguments: kinds)
    func attributesBecomeElementsOfAComposite(kind: StoreKind) throws {
        let numbers = ["latitude", "longitude"].map {
            AttributeDescription($0, .double, isOptional: true)
        }
        var place = AttributeDescription("place", .composite, isOptional: true)
        place.elements = numbers
        let paths = ["place.latitude", "place.longitude"]
        let values = try migrate(
            kind, People.model(numbers), People.model([place]),
            [
                .transform("Person", reading: ["latitude", "longitude"], writing: paths) {
                    old, new in
                    new["place.latitude"] = old["latitude"] as Double?
                    new["place.longitude"] = old["longitude"] as Double?
                }
            ], fill: { _ = $0.insert("Person", ["latitude": 1.5, "longitude": -2.0]) }
        ) { context in try paths.map { try context.values($0, of: "Person") } }
        #expect(values == [[1: .double(1.5)], [1: .double(-2)]])
    }

    @Test(arguments: kinds)
    func fillSetsThoseThatFulfilACondition(kind: StoreKind) throws {
        let pages = AttributeDescription("pages", .integer32, isOptional: true)
        let values = try migrate(
            kind, People.model([.text("name")]), People.model([.text("name"), pages]),
            [
                .fill("Person", "pages", with: .integer(1)),
                .fill(
                    "Person", "pages", with: .integer(2),
                    where: .keyPath("name", .equal, StoredValue.text("b"))),
            ],
            fill: { context in
                _ = context.insert("Person", ["name": "a"])
                try context.save()
                _ = context.insert("Person", ["name": "b"])
            }
        ) { try $0.values("pages", of: "Person") }
        #expect(values == [1: .integer(1), 2: .integer(2)])
    }

    @Test("Numbers become decimals and text by steps, under their own names", arguments: kinds)
    func valuesAreConverted(kind: StoreKind) throws {
        func model(_ total: AttributeType, _ code: AttributeType) throws -> ManagedObjectModel {
            try People.model([
                AttributeDescription("total", total, isOptional: total == .integer64),
                AttributeDescription("code", code, isOptional: true),
            ])
        }
        let (totals, codes) = try migrate(
            kind, model(.integer64, .integer32), model(.decimal, .string),
            [
                .convert("Person", "total") { (cents: Int64) -> Decimal? in Decimal(cents) / 100 },
                .convert("Person", "code") { (code: Int32) -> String? in
                    code == 0 ? nil : "#\(code)"
                },
            ],
            fill: { context in
                _ = context.insert("Person", ["total": 1_250, "code": 7])
                try context.save()
                _ = context.insert("Person", ["total": 5, "code": 0])
            }
        ) { context in
            (try context.values("total", of: "Person"), try context.values("code", of: "Person"))
        }
        #expect(totals == [1: .decimal(Decimal(125) / 10), 2: .decimal(Decimal(5) / 100)])
        #expect(codes == [1: .text("#7"), 2: .null])
    }

    @Test(
        "An entity that is renamed converts by either name, with objects of its children",
        arguments: kinds, ["Item", "Thing"])
    func aRenamedEntityConvertsByEitherName(kind: StoreKind, name: String) throws {
        func model(_ entity: String, was: String?, _ type: AttributeType) throws
            -> ManagedObjectModel
        {
            try ManagedObjectModel([
                EntityDescription(
                    name: entity, renamingIdentifier: was,
                    attributes: [AttributeDescription("code", type, isOptional: true)]),
                EntityDescription(
                    name: "Child", superentity: entity, attributes: [.text("aaa"), .text("zzz")]),
            ])
        }
        let step = MigrationStep.convert("Item", "code") { (code: Int32) -> String? in "#\(code)" }
        #expect(step.explanation == "convert Item.code")
        let codes = try migrate(
            kind, model("Item", was: nil, .integer32), model(name, was: "Item", .string), [step],
            fill: { context in
                _ = context.insert("Item", ["code": 1])
                try context.save()
                _ = context.insert("Child", ["code": 2, "aaa": "a", "zzz": "z"])
            }
        ) { try $0.values("code", of: name) }
        #expect(codes == [1: .text("#1"), 2: .text("#2")])
    }

    @Test(
        "A converted value that is missing is named as the next version names it", arguments: kinds)
    func aConvertedValueThatIsMissingIsNamed(kind: StoreKind) throws {
        let old = try People.model([AttributeDescription("total", .integer64)])
        let new = try People.model([AttributeDescription("total", .string)])
        let store = VersionedStore(kind)
        defer { store.cleanUp() }
        try store.open(old) { (context) throws in
            _ = context.insert("Person", ["total": 1])
            try context.save()
        }
        let step = MigrationStep.convert("Person", "total") { (_: Int64) -> String? in nil }
        let error = try store.refusal(new, by: manager(old, new, [step]))
        #expect(error.code == .missingValue)
        #expect(error.message.contains("1 object has no value of 'Person.total'"))
    }

    struct Old: Codable, Sendable, Equatable { var marks: [Int] }
    struct New: Codable, Sendable, Equatable { var sum: Int }

    @Test("B8: A type of encoded values changes its shape", arguments: kinds)
    func b8ATypeOfEncodedValuesChangesItsShape(kind: StoreKind) throws {
        func model<Value: Codable & Sendable>(
            _ type: Value.Type, modifier: String?
        ) throws -> ManagedObjectModel {
            var scales = AttributeDescription("scales", .transformable, isOptional: true)
            scales.codableType = CodableType("Scales", type)
            scales.versionHashModifier = modifier
            return try People.model([scales])
        }
        let value = try migrate(
            kind, model(Old.self, modifier: nil), model(New.self, modifier: "2"),
            [
                .recode("Person", "scales", from: Old.self, to: New.self) {
                    New(sum: $0.marks.reduce(0, +))
                }
            ], fill: { _ = $0.insert("Person", ["scales": Old(marks: [1, 2, 3])]) }
        ) { try $0.object("Person", 1).value(forKey: "scales") as? New }
        #expect(value == New(sum: 6))
    }

    /// A hierarchy whose objects are referred to in every way.
    private func events(modifier: String?) throws -> ManagedObjectModel {
        try ManagedObjectModel([
            EntityDescription(
                name: "Event", versionHashModifier: modifier,
                attributes: [.text("kind"), .text("name")],
                relationships: [
                    .toOne("owner", destination: "Person", inverse: "events"),
                    .toOne("pass", destination: "Pass", inverse: "event"),
                    .toMany("guests", destination: "Person", inverse: "visits", isOrdered: true),
                ]),
            EntityDescription(
                name: "Trip", superentity: "Event",
                attributes: [AttributeDescription("days", .integer16, default: .integer(3))]),
            EntityDescription(
                name: "Person",
                relationships: [
                    .toMany("events", destination: "Event"),
                    .toMany("visits", destination: "Event", isOrdered: true),
                    .toOne("next", destination: "Event"),
                ]),
            EntityDescription(
                name: "Pass", relationships: [.toOne("event", destination: "Event")]),
        ])
    }

    @Test(
        "Objects become objects of another entity and keep all that leads to them", arguments: kinds
    )
    func objectsBecomeObjectsOfAnotherEntity(kind: StoreKind) throws {
        let result = try migrate(
            kind, events(modifier: nil), events(modifier: "2"),
            [.retype("Event", to: ["Trip"]) { $0["kind"] == "trip" ? "Trip" : nil }],
            fill: { context in
                let people = try (1...2).map { _ in
                    let person = context.insert("Person")
                    try context.save()
                    return person
                }
                for kind in ["trip", "party"] {
                    let event = context.insert("Event", ["kind": kind, "name": kind])
                    try event.setValue(people[0], forKey: "owner")
                    try event.setValue([people[1], people[0]], forKey: "guests")
                    try event.setValue(context.insert("Pass"), forKey: "pass")
                    if kind == "trip" { try people[1].setValue(event, forKey: "next") }
                    try context.save()
                }
            }
        ) { context in
            (
                try context.ends("events", of: "Person"), try context.ends("next", of: "Person"),
                try context.ends("guests", of: "Event"), try context.ends("visits", of: "Person"),
                try context.ends("event", of: "Pass"), try context.values("days", of: "Trip"),
                try context.values("name", of: "Event")
            )
        }
        #expect(result.0 == [1: ["Trip/1", "Event/2"]])
        #expect(result.1 == [2: ["Trip/1"]])
        #expect(result.2 == [1: ["Person/2", "Person/1"], 2: ["Person/2", "Person/1"]])
        #expect(result.3 == [1: ["Trip/1", "Event/2"], 2: ["Trip/1", "Event/2"]])
        #expect(result.4 == [1: ["Trip/1"], 2: ["Event/2"]])
        #expect(result.5 == [1: .integer(3)])
        #expect(result.6 == [1: .text("trip"), 2: .text("party")])
    }

    @Test("Many objects that refer to each other change their entities", arguments: kinds)
    func manyObjectsThatReferToEachOtherChangeTheirEntities(kind: StoreKind) throws {
        func model(_ modifier: String?) throws -> ManagedObjectModel {
            try ManagedObjectModel([
                EntityDescription(
                    name: "Event", versionHashModifier: modifier,
                    relationships: [
                        .toOne("next", destination: "Event", inverse: "previous"),
                        .toMany("previous", destination: "Event"),
                        .toMany("friends", destination: "Event", inverse: "friends"),
                    ]), EntityDescription(name: "Trip", superentity: "Event"),
            ])
        }
        // More than are saved at a time, in a ring.
        let count = 1_300
        let (next, friends) = try migrate(
            kind, model(nil), model("2"), [.retype("Event", to: ["Trip"]) { _ in "Trip" }],
            fill: { context in
                var events: [ManagedObject] = []
                for _ in 0..<count { events.append(context.insert("Event")) }
                for (place, event) in events.enumerated() {
                    try event.setValue(events[(place + 1) % count], forKey: "next")
                    try event.setValue([events[count - 1 - place]], forKey: "friends")
                }
            }
        ) { (try $0.ends("next", of: "Trip"), try $0.ends("friends", of: "Trip")) }
        #expect(next.count == count && Set(next.values.map(\.count)) == [1])
        #expect(friends.count == count && Set(friends.values.map(\.count)) == [1])
        #expect(
            [next, friends].flatMap { $0.values.joined() }.allSatisfy { $0.hasPrefix("Trip/") })
        #expect(Set(next.values.joined()).count == count)
    }

    @Test("B27: Objects that are deleted take nothing with them", arguments: kinds)
    func b27ObjectsThatAreDeletedTakeNothingWithThem(kind: StoreKind) throws {
        func model(_ modifier: String?) throws -> ManagedObjectModel {
            try ManagedObjectModel([
                EntityDescription(
                    name: "Draft", versionHashModifier: modifier, attributes: [.text("state")],
                    relationships: [
                        .toMany(
                            "pages", destination: "Page", deleteRule: .cascade, inverse: "draft"),
                        .toOne("owner", destination: "Owner", deleteRule: .deny, inverse: "drafts"),
                    ]),
                EntityDescription(
                    name: "Page", relationships: [.toOne("draft", destination: "Draft")]),
                EntityDescription(
                    name: "Owner", relationships: [.toMany("drafts", destination: "Draft")]),
            ])
        }
        let counts = try migrate(
            kind, model(nil), model("2"),
            [.delete("Draft", where: .keyPath("state", .equal, StoredValue.text("old")))],
            fill: { context in
                let owner = context.insert("Owner")
                for state in ["old", "new"] {
                    let draft = context.insert("Draft", ["state": state, "owner": owner])
                    try draft.setValue([context.insert("Page")], forKey: "pages")
                }
            }
        ) { context in
            try ["Draft", "Page", "Owner"].map {
                try context.count(for: FetchRequest<ManagedObject>(entityName: $0))
            } + [context.ends("draft", of: "Page").count]
        }
        #expect(counts == [1, 2, 1, 1])
    }

    @Test(
        "B26: A program enumerates objects in a stable order while it deletes them",
        arguments: kinds)
    func b26AProgramEnumeratesObjectsInAStableOrder(kind: StoreKind) throws {
        func model(_ names: [String]) throws -> ManagedObjectModel {
            try ManagedObjectModel([
                EntityDescription(name: "Person", attributes: names.map { .text($0) }),
                EntityDescription(name: "Address", attributes: [.text("street")]),
            ])
        }
        let old = try ManagedObjectModel([
            EntityDescription(name: "Person", attributes: ["name", "street"].map { .text($0) })
        ])
        let seen = Locked<[Int64]>([])
        let streets = try migrate(
            kind, old, model(["name"]),
            [
                .run("Split addresses") { migration in
                    try migration.forEachObject(of: "Person") { person in
                        seen.withLock { $0.append(person.objectID.key) }
                        if let street = try person.value(forKey: "street") {
                            let address = try migration.insert("Address")
                            try address.setValue(street, forKey: "street")
                        }
                        if person.objectID.key.isMultiple(of: 2) {
                            migration.context.delete(person)
                        }
                    }
                    let before = try migration.old.count(
                        for: FetchRequest<ManagedObject>(entityName: "Person"))
                    #expect(before == 1_200)
                }
            ],
            fill: { context in
                for number in 1...1_200 {
                    _ = context.insert(
                        "Person", ["name": "n\(number)", "street": "s\(number)"])
                }
            }
        ) { context in
            (
                try context.count(for: FetchRequest<ManagedObject>(entityName: "Address")),
                try context.count(for: FetchRequest<ManagedObject>(entityName: "Person"))
            )
        }
        #expect(seen.withLock { $0 } == Array(1...1_200))
        #expect(streets == (1_200, 600))
    }

    @Test(arguments: kinds)
    func aStepThatFailsNamesItselfAndTheObject(kind: StoreKind) throws {
        let old = try People.model([.text("name")])
        let new = try People.model([
            .text("name"), AttributeDescription("n", .integer16, isOptional: true),
        ])
        let store = VersionedStore(kind)
        defer { store.cleanUp() }
        try store.open(old) { (context) throws in
            _ = context.insert("Person", ["name": "a"])
            try context.save()
        }
        let before = try store.checksums(old)
        let cases: [(MigrationStep, String)] = [
            (
                .transform("Person", reading: [], writing: ["n"]) { _, new in new["n"] = 70_000 },
                "is not of type Integer 16"
            ),
            (
                .transform("Person", reading: [], writing: ["n"]) { _, new in new["name"] = "b" },
                "does not say that it writes"
            ),
            (
                .transform("Person", reading: [], writing: ["n"]) { old, new in
                    new["n"] = old["nothing"] as Int?
                }, "no attribute 'nothing'"
            ),
        ]
        for (step, text) in cases {
            let error = try store.refusal(new, by: manager(old, new, [step]))
            #expect(error.code == .stepFailed)
            #expect(error.message.contains(text), "\(error)")
            #expect(error.message.contains("transform Person"))
            #expect(try store.checksums(old) == before)
        }
    }
}
