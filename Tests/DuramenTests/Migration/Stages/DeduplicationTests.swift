import Duramen
import DuramenMemory
import DuramenStore
import DuramenTestKit
import Foundation
import StoreTestSupport
import Testing

/// A constraint that meets values which objects share.
@Suite struct DeduplicationTests {
    static let kinds = StoreKind.allCases

    /// Users with everything that can lead from them and to them.
    private static func model(unique: Bool) throws -> ManagedObjectModel {
        try ManagedObjectModel([
            EntityDescription(
                name: "User", attributes: [.text("email"), .text("phone"), .text("name")],
                relationships: [
                    .toMany("notes", destination: "Note", deleteRule: .cascade, inverse: "user"),
                    .toMany(
                        "list", destination: "Note", deleteRule: .deny, inverse: "listed",
                        isOrdered: true),
                    .toMany("teams", destination: "Team", inverse: "users", isOrdered: true),
                    .toMany("friends", destination: "User", inverse: "friends"),
                    .toOne("profile", destination: "Profile", inverse: "user"),
                    .toOne("boss", destination: "User", inverse: "staff"),
                    .toMany("staff", destination: "User", inverse: "boss"),
                ], uniquenessConstraints: unique ? [["email"]] : []),
            EntityDescription(
                name: "Guest", superentity: "User", attributes: [.text("host")]),
            EntityDescription(
                name: "Note", attributes: [.text("word")],
                relationships: [
                    .toOne("user", destination: "User"), .toOne("listed", destination: "User"),
                    .toOne("writer", destination: "User"),
                ]),
            EntityDescription(
                name: "Team", attributes: [.text("word")],
                relationships: [.toMany("users", destination: "User", isOrdered: true)]),
            EntityDescription(
                name: "Profile", relationships: [.toOne("user", destination: "User")]),
        ])
    }

    private func store(
        _ kind: StoreKind, _ fill: (ManagedObjectContext) throws -> Void
    ) throws -> VersionedStore {
        let store = VersionedStore(kind)
        try store.open(Self.model(unique: false)) { (context) throws in
            try fill(context)
            try context.save()
        }
        return store
    }

    private func users(
        _ context: ManagedObjectContext, _ emails: [String?], entity: String = "User"
    ) throws -> [ManagedObject] {
        try emails.map { email in
            let user = context.insert(entity)
            try user.setValue(email, forKey: "email")
            try context.save()
            return user
        }
    }

    private func manager(_ step: MigrationStep) throws -> StagedMigrationManager {
        var stage = CustomMigrationStage(
            migratingFrom: ManagedObjectModelReference(model: try Self.model(unique: false)),
            to: ManagedObjectModelReference(model: try Self.model(unique: true)))
        stage.steps = [step]
        return try StagedMigrationManager([stage])
    }

    @Test(
        "The one that stays gets all that led to the others, in every kind of relationship",
        arguments: kinds)
    func theOneThatStaysGetsAllThatLedToTheOthers(kind: StoreKind) throws {
        let store = try store(kind) { (context) throws in
            let users = try users(context, ["a", "a", "b", nil, nil, "a"])
            func note(_ word: String, _ key: String, _ user: ManagedObject) throws {
                let note = context.insert("Note", ["word": word])
                try note.setValue(user, forKey: key)
                try context.save()
            }
            try note("1", "user", users[0])
            try note("2", "user", users[1])
            try note("3", "writer", users[5])
            for (place, user) in [users[0], users[5], users[1]].enumerated() {
                let notes = try ["x", "y"].map { word in
                    let note = context.insert("Note", ["word": "\(word)\(place)"])
                    try context.save()
                    return note
                }
                try user.setValue(notes, forKey: "list")
            }
            let teams = try ["t", "u"].map { word in
                let team = context.insert("Team", ["word": word])
                try context.save()
                return team
            }
            try users[0].setValue([teams[0]], forKey: "teams")
            try users[1].setValue([teams[1], teams[0]], forKey: "teams")
            try users[2].setValue([teams[1]], forKey: "teams")
            try users[1].setValue([users[2], users[0]], forKey: "friends")
            try users[5].setValue(context.insert("Profile"), forKey: "profile")
            try users[2].setValue(users[1], forKey: "boss")
            try users[1].setValue(users[3], forKey: "boss")
            try users[0].setValue(users[1], forKey: "boss")
        }
        defer { store.cleanUp() }
        try store.open(Self.model(unique: true), by: manager(.deduplicate("User", by: ["email"]))) {
            (context) throws in
            #expect(try context.values("email", of: "User").keys.sorted() == [1, 3, 4, 5])
            #expect(try context.ends("user", of: "Note") == [1: ["User/1"], 2: ["User/1"]])
            #expect(try context.ends("writer", of: "Note") == [3: ["User/1"]])
            let words = try context.object("User", 1).value(forKey: "list") as? [ManagedObject]
            #expect(
                try words?.map { try $0.value(forKey: "word") as? String }
                    == ["x0", "y0", "x2", "y2", "x1", "y1"])
            #expect(
                try context.ends("teams", of: "User") == [1: ["Team/1", "Team/2"], 3: ["Team/2"]])
            #expect(
                try context.ends("users", of: "Team") == [1: ["User/1"], 2: ["User/1", "User/3"]])
            #expect(try context.ends("friends", of: "User") == [1: ["User/3"], 3: ["User/1"]])
            #expect(try context.ends("user", of: "Profile") == [1: ["User/1"]])
            #expect(try context.ends("profile", of: "User") == [1: ["Profile/1"]])
            // Its own boss was one that went, and is nobody now.
            #expect(try context.ends("boss", of: "User") == [1: ["User/4"], 3: ["User/1"]])
        }
    }

    @Test(arguments: kinds)
    func valuesAreTakenFromTheNearestThatHasThem(kind: StoreKind) throws {
        let store = try store(kind) { (context) throws in
            let users = try users(context, ["a", "a", "a"])
            try users[0].setValue("zero", forKey: "name")
            try users[1].setValue("1", forKey: "phone")
            try users[2].setValue("2", forKey: "phone")
            try users[2].setValue("two", forKey: "name")
        }
        defer { store.cleanUp() }
        let step = MigrationStep.deduplicate("User", by: ["email"], keep: .newest, values: .fill)
        try store.open(Self.model(unique: true), by: manager(step)) { (context) throws in
            #expect(try context.values("name", of: "User") == [3: .text("two")])
            #expect(try context.values("phone", of: "User") == [3: .text("2")])
        }
    }

    @Test(arguments: kinds)
    func anOrderOrAClosureChoosesWhichOneStays(kind: StoreKind) throws {
        for (survivor, key) in [
            (MigrationStep.Survivor.first(by: [FetchSortDescriptor("name", ascending: false)]), 2),
            (.choose { rows in rows.firstIndex { $0["name"] == "b" } ?? 0 }, 3),
        ] as [(MigrationStep.Survivor, Int64)] {
            let store = try store(kind) { (context) throws in
                for (user, name) in zip(try users(context, ["a", "a", "a"]), ["a", "c", "b"]) {
                    try user.setValue(name, forKey: "name")
                }
            }
            defer { store.cleanUp() }
            let step = MigrationStep.deduplicate("User", by: ["email"], keep: survivor)
            try store.open(Self.model(unique: true), by: manager(step)) { (context) throws in
                #expect(try context.values("email", of: "User").keys.map { $0 } == [key])
            }
        }
    }

    @Test(arguments: kinds)
    func othersStayWithoutAValueOrWithoutWhatLedToThem(kind: StoreKind) throws {
        for others in [MigrationStep.Others.null("email"), .delete] {
            let store = try store(kind) { (context) throws in
                for user in try users(context, ["a", "a"]) {
                    _ = context.insert("Note", ["user": user, "writer": user])
                    try context.save()
                }
            }
            defer { store.cleanUp() }
            let step = MigrationStep.deduplicate(
                "User", by: ["email"], relationships: .drop, others: others)
            try store.open(Self.model(unique: true), by: manager(step)) { (context) throws in
                let emails = try context.values("email", of: "User")
                let ends = try ["user", "writer"].map { try context.ends($0, of: "Note") }
                if case .null = others {
                    #expect(emails == [1: .text("a"), 2: .null])
                    #expect(ends.allSatisfy { $0 == [1: ["User/1"], 2: ["User/2"]] })
                } else {
                    #expect(emails == [1: .text("a")])
                    #expect(ends.allSatisfy { $0 == [1: ["User/1"]] })
                }
            }
        }
    }

    @Test(arguments: kinds)
    func objectsOfSubentitiesAreAmongThem(kind: StoreKind) throws {
        let store = try store(kind) { (context) throws in
            _ = try users(context, ["a"], entity: "Guest")
            _ = try users(context, ["a", "b"])
        }
        defer { store.cleanUp() }
        let step = MigrationStep.deduplicate("User", by: ["email"])
        try store.open(Self.model(unique: true), by: manager(step)) { (context) throws in
            #expect(try context.values("email", of: "User") == [1: .text("a"), 3: .text("b")])
            #expect(try context.values("email", of: "Guest").count == 1)
        }
    }

    /// Any groups among any number of objects, against a dictionary.
    @Test(arguments: kinds, [1, 2, 3] as [UInt64])
    func randomValuesAreLeftOnce(kind: StoreKind, seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        let emails = (0..<700).map { _ -> String? in
            random.next() % 5 == 0 ? nil : "e\(random.next() % 300)"
        }
        let store = try store(kind) { (context) throws in
            for email in emails { try context.insert("User").setValue(email, forKey: "email") }
        }
        defer { store.cleanUp() }
        var expected: Set<Int64> = []
        var known: Set<String> = []
        let stored = try store.openUnchanged(Self.model(unique: false)) {
            try $0.values("email", of: "User")
        }
        for (key, value) in stored.sorted(by: { $0.key < $1.key }) {
            guard case .text(let text) = value else {
                expected.insert(key)
                continue
            }
            if known.insert(text.string).inserted { expected.insert(key) }
        }
        let step = MigrationStep.deduplicate("User", by: ["email"])
        try store.open(Self.model(unique: true), by: manager(step)) { (context) throws in
            let left = try Set(context.values("email", of: "User").keys)
            #expect(left == expected, "seed \(seed)")
        }
    }
}
