import Duramen
import DuramenStore
import Foundation
import StoreTestSupport
import Testing

/// Reports about values that a version fills, demands or forbids. Names begin with the number of
/// the report.
@Suite struct ReportedMigrationValueTests {
    static let kinds = StoreKind.allCases

    private func user(
        _ attributes: [AttributeDescription], unique: [[String]] = []
    ) throws -> ManagedObjectModel {
        try ManagedObjectModel([
            EntityDescription(
                name: "User", attributes: attributes, uniquenessConstraints: unique)
        ])
    }

    private func filled(
        _ kind: StoreKind, _ model: ManagedObjectModel, _ rows: [[String: Any?]]
    ) throws -> VersionedStore {
        let store = VersionedStore(kind)
        try store.open(model) { (context) throws in
            for row in rows {
                _ = context.insert("User", row)
                try context.save()
            }
        }
        return store
    }

    // MARK: - B12

    @Test("B12: Objects without a value share none with each other", arguments: kinds)
    func b12MissingValuesAreNotShared(kind: StoreKind) throws {
        let attributes: [AttributeDescription] = [.text("email"), .text("team")]
        // Both constraints hold, as one value of the pair is missing wherever the other is shared.
        let store = try filled(
            kind, user(attributes),
            [
                ["email": "a", "team": "t"], ["email": nil, "team": "t"],
                ["email": nil, "team": "t"], ["email": nil, "team": nil],
            ])
        defer { store.cleanUp() }
        let new = try user(attributes, unique: [["email"], ["email", "team"]])
        try store.open(new) { (context) throws in
            #expect(
                try context.values("email", of: "User")
                    == [1: .text("a"), 2: .null, 3: .null, 4: .null])
            _ = context.insert("User", ["team": "t"])
            try context.save()
            // From now on the constraint is kept.
            _ = context.insert("User", ["email": "a", "team": "u"])
            #expect(throws: SaveConflictError.self) { try context.save() }
        }
    }

    @Test(
        "B12: Of several constraints the one that objects break is named, and nothing is changed",
        arguments: kinds)
    func b12EveryConstraintIsLookedAt(kind: StoreKind) throws {
        let attributes: [AttributeDescription] = [.text("email"), .text("phone")]
        let old = try user(attributes)
        let store = try filled(
            kind, old,
            [
                ["email": "first@x", "phone": "1"], ["email": "second@x", "phone": "1"],
                ["email": nil, "phone": nil],
            ])
        defer { store.cleanUp() }
        let (before, metadata) = (try store.checksums(old), try store.metadata)
        let new = try user(attributes, unique: [["email"], ["phone"]])
        let error = try store.refusal(new)
        #expect(error.code == .uniquenessViolated)
        #expect(error.message.contains("'User'") && error.message.contains("'phone'"))
        // Names yes, stored values never.
        #expect(!error.description.contains("@x"))
        #expect(try store.checksums(old) == before)
        #expect(try store.metadata == metadata)
        try store.openUnchanged(old) { (context) throws in
            try context.object("User", 2).setValue("2", forKey: "phone")
            try context.save()
        }
        let phones = try store.open(new) { try $0.values("phone", of: "User") }
        #expect(phones == [1: .text("1"), 2: .text("2"), 3: .null])
    }

    // MARK: - B17

    /// Books whose author is mandatory or not, and whose authors need books or not.
    private func books(isMandatory: Bool) throws -> ManagedObjectModel {
        try ManagedObjectModel([
            EntityDescription(
                name: "Book", attributes: [.text("title")],
                relationships: [
                    .toOne("author", destination: "Author", isOptional: !isMandatory)
                ]),
            EntityDescription(
                name: "Author", attributes: [.text("name")],
                relationships: [
                    .toMany(
                        "books", destination: "Book", isOptional: !isMandatory, inverse: "author",
                        minimumCount: isMandatory ? 1 : 0)
                ]),
        ])
    }

    private func bookshop(_ kind: StoreKind) throws -> VersionedStore {
        let store = VersionedStore(kind)
        try store.open(books(isMandatory: false)) { (context) throws in
            let author = context.insert("Author", ["name": "with"])
            try context.save()
            _ = context.insert("Author", ["name": "without"])
            for title in ["a", "b", "c"] {
                _ = context.insert("Book", ["title": title, "author": title == "a" ? author : nil])
                try context.save()
            }
        }
        return store
    }

    @Test(
        "B17: Objects that break a new rule are kept, and refused when they are saved next",
        arguments: kinds)
    func b17InvalidObjectsAreKept(kind: StoreKind) throws {
        let store = try bookshop(kind)
        defer { store.cleanUp() }
        let new = try books(isMandatory: true)
        #expect(
            try store.plan(new).changes.map(\.description).contains("Book.author: mandatory now"))
        try store.open(new) { (context) throws in
            #expect(
                try context.values("title", of: "Book")
                    == [1: .text("a"), 2: .text("b"), 3: .text("c")])
            #expect(try context.ends("author", of: "Book") == [1: ["Author/1"]])
            #expect(try context.ends("books", of: "Author") == [1: ["Book/1"]])
            try context.object("Book", 1).setValue("d", forKey: "title")
            try context.save()
            for (entity, key, name, property) in [
                ("Book", 2, "title", "author"), ("Author", 2, "name", "books"),
            ] as [(String, Int64, String, String)] {
                let object = try context.object(entity, key)
                try object.setValue("x", forKey: name)
                let error = #expect(throws: ValidationError.self) { try context.save() }
                #expect(error?.failures.map(\.property) == [property])
                #expect(error?.failures.map(\.objectID) == [object.objectID])
                context.rollback()
            }
        }
    }

    @Test("B17: Objects that lack what is mandatory now are counted", arguments: kinds)
    func b17InvalidObjectsAreCounted(kind: StoreKind) throws {
        let store = try bookshop(kind)
        defer { store.cleanUp() }
        let new = try books(isMandatory: true)
        let survey = try MigrationSurvey(of: store.plan(new))
        let planned = Dictionary(
            survey.invalid.map { ($0.key.name, $0.value) }, uniquingKeysWith: { first, _ in first })
        #expect(planned == ["Author.books": 1, "Book.author": 2])
        try store.open(new) { _ in }
        let open = try store.description.open(model: new)
        defer { try? open.close() }
        let counts = try InvalidObjects(in: open.snapshot(), of: open).counts
        #expect(counts.map { "\($0.entity).\($0.property)" } == ["Author.books", "Book.author"])
        #expect(counts.map(\.objects) == [1, 2])
    }

    @Test(
        "B17: Rows that were invalid before lose no row of a heavy migration, and none is made up",
        arguments: kinds)
    func b17RowsThatWereInvalidBeforeAreMigrated(kind: StoreKind) throws {
        func model(isToMany: Bool) throws -> ManagedObjectModel {
            try ManagedObjectModel([
                EntityDescription(
                    name: "User",
                    attributes: [
                        AttributeDescription("email", .string),
                        AttributeDescription("age", isToMany ? .integer16 : .integer64),
                    ],
                    relationships: [
                        isToMany
                            ? .toMany("friends", destination: "User", inverse: "fans")
                            : .toOne("friends", destination: "User", inverse: "fans"),
                        .toMany("fans", destination: "User"),
                    ])
            ])
        }
        let store = VersionedStore(kind)
        defer { store.cleanUp() }
        // Past all validation, as the rows of the report came about.
        let raw = try store.description.open(model: model(isToMany: false))
        let first = try raw.insert("User", ["email": .text("a"), "age": .integer(1)])
        try raw.insert("User", ["age": .integer(2), "friends": .objectID(first)])
        try raw.insert("User", ["email": .text("c")])
        try raw.close()
        try store.open(model(isToMany: true)) { (context) throws in
            #expect(
                try context.values("email", of: "User")
                    == [1: .text("a"), 2: .null, 3: .text("c")])
            #expect(
                try context.values("age", of: "User")
                    == [1: .integer(1), 2: .integer(2), 3: .null])
            #expect(try context.ends("friends", of: "User") == [2: ["User/1"]])
            #expect(try context.ends("fans", of: "User") == [1: ["User/2"]])
        }
    }

    // MARK: - B28

    @Test(
        "B28: The default of the first migration stays with old objects for ever", arguments: kinds)
    func b28DefaultsAreFrozen(kind: StoreKind) throws {
        func version(_ number: Int, of moment: Double) throws -> ManagedObjectModel {
            var model = try user([
                .text("email"),
                AttributeDescription("rank", .integer32, default: .integer(Int64(number))),
                AttributeDescription("mood", .string, default: .text(StoredText("mood \(moment)"))),
                // A moment differs at every start of a program.
                AttributeDescription(
                    "joined", .date,
                    default: .date(Date(timeIntervalSinceReferenceDate: moment))),
            ]).descriptions
            model[0].versionHashModifier = "\(number)"
            return try ManagedObjectModel(model)
        }
        let store = try filled(kind, user([.text("email")]), [["email": "a"], ["email": "b"]])
        defer { store.cleanUp() }
        // The last opening is no migration, and there are several between.
        for (number, moment) in [(1, 100.5), (1, 200), (2, 300), (3, 400), (3, 500)] {
            try store.open(version(number, of: moment)) { (context) throws in
                #expect(
                    try context.values("rank", of: "User") == [1: .integer(1), 2: .integer(1)])
                #expect(
                    try context.values("mood", of: "User")
                        == [1: .text("mood 100.5"), 2: .text("mood 100.5")])
                let date = StoredValue.date(Date(timeIntervalSinceReferenceDate: 100.5))
                #expect(try context.values("joined", of: "User") == [1: date, 2: date])
            }
        }
        #expect(try store.metadata.migrations.count == 3)
        try store.open(version(3, of: 600)) { (context) throws in
            let user = context.insert("User")
            try context.save()
            #expect(try user.storedValue(forKey: "rank") == .integer(3))
            #expect(try user.storedValue(forKey: "mood") == .text("mood 600.0"))
        }
    }

    @Test(
        "B28: A mandatory attribute fills the gaps of old objects, and nothing else",
        arguments: kinds)
    func b28GapsAreFilledOnce(kind: StoreKind) throws {
        let store = try filled(kind, user([.text("email")]), [["email": "a"], [:], ["email": ""]])
        defer { store.cleanUp() }
        let new = try user([AttributeDescription("email", .string, default: .text("none"))])
        let emails: [Int64: StoredValue] = [1: .text("a"), 2: .text("none"), 3: .text("")]
        #expect(try store.open(new) { try $0.values("email", of: "User") } == emails)
        let later = try user([
            AttributeDescription("email", .string, default: .text("other")), .text("note"),
        ])
        #expect(try store.open(later) { try $0.values("email", of: "User") } == emails)
    }

    // MARK: - B31

    @Test(
        "B31: An identifier of a version that the store never had is refused",
        arguments: kinds)
    func b31AnIdentifierOfASkippedVersionLosesNothing(kind: StoreKind) throws {
        let first = try user([.text("color")])
        let store = try filled(kind, first, [["color": "red"]])
        defer { store.cleanUp() }
        let skipping = try user([.text("tint", was: "paintColor")])
        let error = try store.refusal(skipping)
        #expect(error.code == .notInferable)
        #expect(error.message.contains("User.tint"))
        let colors = try store.openUnchanged(first) { try $0.values("color", of: "User") }
        #expect(colors == [1: .text("red")])
        // By way of the version in between it is the same attribute.
        try store.open(user([.text("paintColor", was: "color")])) { _ in }
        let tints = try store.open(skipping) { try $0.values("tint", of: "User") }
        #expect(tints == [1: .text("red")])
    }
}
