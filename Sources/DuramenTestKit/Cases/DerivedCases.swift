import DuramenModel
import DuramenQuery
import DuramenStore
import Foundation

/// Law 14: the store keeps derived attributes up to date.
enum DerivedCases {
    static var all: [ConformanceCase] { saves + refusals + others }

    private static func claim(
        _ name: String, requires others: StoreCapabilities = [],
        _ body: @escaping @Sendable (StoreDriver) throws -> Void
    ) -> ConformanceCase {
        ConformanceCase(.derivation, name, requires: others.union(.derivedAttributes)) { driver in
            try body(StoreDriver(driver.fixture, model: DerivedModel.shared))
        }
    }

    // MARK: - Saves

    private static var saves: [ConformanceCase] {
        [
            claim("New objects get what is derived from their own values") { driver in
                let id = try driver.insert("Account", ["name": .text("Émile")])
                let values = try driver.values(id) ?? [:]
                try checkEqual(values["upper"], .text("ÉMILE"), "capitals")
                try checkEqual(values["lower"], .text("émile"), "small letters")
                try checkEqual(values["folded"], .text("emile"), "folded text")
                try checkEqual(values["plain"], .text("Émile"), "the copy")
                try driver.commit { try $0.update(id, ["name": .null]) }
                try checkEqual(try driver.values(id)?["upper"], nil, "capitals of no text")
                try driver.check()
            },
            claim("Copies follow every step of the way to them") { driver in
                let world = try World(driver)
                try driver.commit { try $0.update(world.team, ["name": .text("Gold")]) }
                try driver.check()
                try checkEqual(
                    try driver.values(world.post)?["teamName"], .text("gold"), "two steps away")
                try driver.commit { try $0.update(world.ada, ["team": .null]) }
                try driver.check()
                try driver.commit { try $0.update(world.post, ["account": .objectID(world.bob)]) }
                try driver.check()
                try driver.commit {
                    try $0.update(world.bob, ["team": .objectID(world.team)])
                    try $0.update(world.reply, ["answered": .objectID(world.post)])
                }
                try driver.check()
                try driver.commit { try $0.delete(world.team) }
                try driver.check()
            },
            claim("Counts and sums follow the members of a to-many") { driver in
                let world = try World(driver)
                try checkEqual(
                    try driver.values(world.ada)?["sizes"], .integer(7), "the sum at first")
                try driver.commit {
                    try $0.insert("Reply", ["size": .integer(5), "account": .objectID(world.ada)])
                    try $0.update(world.post, ["size": .integer(40), "weight": .null])
                }
                try driver.check()
                try driver.commit {
                    try $0.update(
                        world.post, ["account": .objectID(world.bob), "weight": .double(0.25)])
                    try $0.delete(world.reply)
                }
                try driver.check()
                try checkEqual(
                    try driver.values(world.ada)?["postCount"], .integer(1), "what is left")
                try driver.commit { try $0.update(world.post, ["account": .null]) }
                try driver.check()
            },
            claim("Counts and sums follow the pairs of a many-to-many") { driver in
                let world = try World(driver)
                try driver.commit { draft in
                    draft.relate("Label.posts", world.label, world.reply)
                    // The pair exists already.
                    draft.relate("Post.labels", world.post, world.label)
                }
                try driver.check()
                try checkEqual(
                    try driver.values(world.label)?["postCount"], .integer(2), "the posts")
                try driver.commit { draft in
                    draft.unrelate("Label.posts", world.label, world.post)
                    draft.unrelate("Post.labels", world.reply, world.label)
                    try draft.update(world.reply, ["weight": .double(8)])
                    draft.relate("Post.labels", world.reply, world.label)
                }
                try driver.check()
                try driver.commit { try $0.delete(world.reply) }
                try driver.check()
                try driver.commit { try $0.delete(world.label) }
                try driver.check()
            },
            claim("A pair with an object that is gone does not count") { driver in
                let world = try World(driver)
                try driver.commit { try $0.delete(world.reply) }
                try driver.commit { draft in
                    draft.relate("Label.posts", world.label, world.reply)
                    draft.unrelate("Label.posts", world.label, world.post)
                }
                try driver.check()
                try checkEqual(
                    try driver.values(world.label)?["postCount"], .integer(0), "the posts")
            },
            claim("Random saves leave what plain reading finds") { driver in
                var workload = DerivedWorkload(seed: 20_261_124, driver)
                for _ in 0..<40 {
                    try workload.step()
                    try driver.check()
                }
            },
            claim("What a caller gives to derived attributes gives way") { driver in
                let world = try World(driver)
                let wrong: PropertyValues = [
                    "upper": .text("x"), "postCount": .integer(77), "teamName": .null,
                ]
                try driver.commit { draft in
                    try draft.insert("Account", wrong)
                    try draft.update(world.ada, wrong)
                    try draft.update(
                        world.label, ["postCount": .integer(9), "name": .text("new")])
                }
                try driver.check()
            },
            claim("The time of a save is that of its last change") { driver in
                let world = try World(driver)
                func time(_ id: ManagedObjectID) throws -> Date {
                    guard case .date(let date)? = try driver.values(id)?["savedAt"] else {
                        throw Difference("the object has no time")
                    }
                    return date
                }
                let (first, other) = (try time(world.post), try time(world.reply))
                let start = Date()
                try driver.commit { try $0.update(world.post, ["size": .integer(1)]) }
                try check(try time(world.post) >= start, "the time did not go on")
                try check(try time(world.post) > first, "the time is the old one")
                try checkEqual(try time(world.reply), other, "the time of what was left alone")
                // Only a derived attribute changes.
                let last = try time(world.post)
                try driver.commit { try $0.update(world.ada, ["name": .text("other")]) }
                try checkEqual(try time(world.post), last, "the time of what follows")
            },
        ]
    }

    // MARK: - Refused saves

    private static var refusals: [ConformanceCase] {
        [
            claim("A sum that does not fit is refused, and nothing is written") { driver in
                let world = try World(driver)
                let before = try driver.contents()
                try checkThrows(.invalidRequest, "a sum beyond 16 bits") {
                    try driver.commit {
                        try $0.insert("Label")
                        try $0.update(world.post, ["size": .integer(40_000)])
                    }
                }
                try checkSame(try driver.contents(), before, "the store afterwards")
            },
            claim("Derived values conflict where a constraint names them") { driver in
                let world = try World(driver)
                let before = try driver.contents()
                let conflicts = try driver.conflicts {
                    try $0.insert("Account", ["name": .text("ADA")])
                    try $0.delete(world.reply)
                }
                try checkEqual(conflicts.count, 1, "the conflicts")
                guard case .uniqueness(let conflict) = conflicts[0] else {
                    throw Difference("the conflict is none of unique values")
                }
                try checkEqual(conflict.otherID, world.ada, "who has the value")
                try checkSame(try driver.contents(), before, "the store afterwards")
            },
            claim("Derived values are written as they are where that is asked for") { driver in
                let world = try World(driver)
                var draft = driver.draft()
                draft.changes.keepsDerivedValues = true
                let id = try draft.insert("Account", ["name": .text("eve"), "plain": .text("x")])
                try draft.update(world.ada, ["postCount": .integer(77)])
                try driver.commit(draft)
                try checkEqual(try driver.values(id)?["plain"], .text("x"), "the new object")
                try checkEqual(try driver.values(id)?["upper"], nil, "what was left out")
                try checkEqual(
                    try driver.values(world.ada)?["postCount"], .integer(77), "the old object")
            },
        ]
    }

    // MARK: - Receipts and snapshots

    private static var others: [ConformanceCase] {
        [
            claim("A save says which rows it derived, as they are stored") { driver in
                let world = try World(driver)
                let before = try driver.existingRow(world.ada)
                var draft = driver.draft()
                let new = try draft.insert("Account", ["name": .text("eve")])
                let post = try draft.insert(
                    "Post", ["size": .integer(1), "account": .objectID(world.ada)])
                try draft.update(world.bob, ["name": .text("rob")])
                let receipt = try driver.commit(draft)
                let rows = receipt.derivedRows
                try checkEqual(
                    Set(rows.map { driver.id(of: $0.row) }),
                    [new, post, world.ada, world.bob, world.reply],
                    "the objects")
                try checkEqual(receipt.updatedVersions.count, 1, "the versions of updated rows")
                for change in rows {
                    let id = driver.id(of: change.row)
                    let stored = try driver.existingRow(id)
                    try checkEqual(stored.version, change.row.version, "the version of \(id)")
                    let layout = driver.model[stored.entityID].layout
                    for (slot, kind) in layout.kinds.enumerated() {
                        try check(
                            stored.hasSameValue(slot, kind, as: change.row),
                            "slot \(slot) of \(id) is told otherwise than it is stored")
                    }
                    try checkEqual(
                        change.base == nil, id == new || id == post, "whether \(id) is new")
                }
                let told = rows.first { driver.id(of: $0.row) == world.ada }
                try checkEqual(
                    told?.base?.version, before.version, "what it was before")
                try check(
                    told?.row.version != before.version, "a derived row kept its version")
            },
            claim("Whoever knows a row as it was before it was derived is told") { driver in
                let world = try World(driver)
                let before = try driver.existingRow(world.ada)
                try driver.commit { try $0.insert("Post", ["account": .objectID(world.ada)]) }
                let conflicts = try driver.conflicts {
                    $0.update(before, ["name": .text("new")])
                }
                try checkEqual(conflicts.count, 1, "the conflicts")
                guard case .version(let conflict) = conflicts[0] else {
                    throw Difference("the conflict is none of versions")
                }
                let count = driver.model[before.entityID].attributes.first {
                    StoredText($0.name) == "postCount"
                }
                try checkEqual(
                    count.flatMap { conflict.storedRow?.integer($0.slot) }, 2, "the stored count")
            },
            claim("The parts of a batch are kept alike", requires: .batches) { driver in
                let world = try World(driver)
                _ = try driver.batch { batch in
                    let post = try batch.insert(
                        "Post", ["size": .integer(9), "account": .objectID(world.ada)])
                    try batch.write { try $0.update(world.post, ["account": .objectID(world.bob)]) }
                    // Both have new versions by now, since their derived attributes changed.
                    try batch.write {
                        try $0.update(world.ada, ["name": .text("Ada II")])
                        try $0.delete(world.bob)
                    }
                    try batch.write { draft in
                        draft.relate("Label.posts", world.label, post)
                    }
                }
                try driver.check()
                try checkEqual(
                    try driver.values(world.ada)?["postCount"], .integer(1), "the posts")
                try checkEqual(try driver.values(world.bob), nil, "what was deleted")
            },
            claim("The history tells of what is derived", requires: .history) { driver in
                let world = try World(driver)
                let history = try driver.store.historyTracking()
                try history.beginHistory()
                let last = try driver.store.snapshot().generation.rawValue
                try driver.commit { try $0.insert("Post", ["account": .objectID(world.ada)]) }
                let changes = try history.history(HistoryRequest(after: last)).flatMap {
                    $0.changes ?? []
                }
                let ada = changes.first { $0.changedObjectID == world.ada }
                try checkEqual(ada?.changeType, .update, "what became of the account")
                try check(
                    ada?.updatedProperties?.contains("postCount") == true,
                    "the history does not name the count")
            },
        ]
    }

    /// A team of Ada, who has a post with a label and a reply; and Bob.
    private struct World {
        let team: ManagedObjectID
        let ada: ManagedObjectID
        let bob: ManagedObjectID
        let post: ManagedObjectID
        let reply: ManagedObjectID
        let label: ManagedObjectID

        init(_ driver: StoreDriver) throws {
            var draft = driver.draft()
            team = try draft.insert("Team", ["name": .text("Red")])
            ada = try draft.insert("Account", ["name": .text("Ada"), "team": .objectID(team)])
            bob = try draft.insert("Account", ["name": .text("Bob")])
            post = try draft.insert(
                "Post",
                [
                    "size": .integer(7), "weight": .double(1.5), "price": .decimal(2),
                    "account": .objectID(ada),
                ])
            reply = try draft.insert(
                "Reply",
                [
                    "weight": .double(0.5), "account": .objectID(bob), "answered": .objectID(post),
                ])
            label = try draft.insert("Label", ["name": .text("new")])
            draft.relate("Post.labels", post, label)
            try driver.commit(draft)
            try driver.check()
        }
    }
}

extension StoreDriver {
    fileprivate func check() throws { try DerivedValueCheck(self).run() }
}
