import DuramenModel
import DuramenQuery
import DuramenStore
import Foundation

/// Law 12: each save is one transaction of the history, and nothing else is.
enum HistoryCases {
    static var all: [ConformanceCase] {
        transactions + changes + requests + deletions + [
            ConformanceCase(.history, "A history that is not declared is refused") { driver in
                let isDeclared = driver.store.capabilities.contains(.history)
                try checkEqual(
                    driver.store is any HistoryTrackingStore, isDeclared, "what it conforms to")
                if isDeclared { return }
                try checkThrows(.unsupported, "an undeclared history") {
                    try driver.store.historyTracking()
                }
            }
        ]
    }

    private static func claim(
        _ name: String, requires others: StoreCapabilities = [],
        _ body: @escaping @Sendable (StoreDriver, any HistoryTrackingStore) throws -> Void
    ) -> ConformanceCase {
        ConformanceCase(.history, name, requires: others.union(.history)) { driver in
            try body(driver, try driver.store.historyTracking())
        }
    }

    // MARK: - Transactions

    private static var transactions: [ConformanceCase] {
        [
            claim("Nothing is told before a history was begun") { driver, history in
                _ = try Library(driver)
                try checkEqual(try history.historyExtent(), nil, "what is told")
                try checkThrows(.historyMissing, "reading") {
                    try history.history(HistoryRequest())
                }
                try checkThrows(.historyMissing, "deleting") {
                    try history.deleteHistory(HistoryDeletion())
                }
                try checkThrows(.historyMissing, "adding a consumer") {
                    try history.setHistoryConsumer(named: "one", at: 0, leaseSeconds: 60)
                }
                try checkEqual(try history.historyConsumers(), [], "the consumers")
                try history.beginHistory()
                let last = try driver.store.snapshot().generation.rawValue
                try checkEqual(
                    try history.historyExtent(), HistoryExtent(deletedThrough: last, last: last),
                    "what is told at the beginning")
                try checkEqual(
                    try history.history(HistoryRequest(after: last)), [], "the beginning")
                _ = try driver.insert("Disc")
                try history.beginHistory()
                try checkEqual(
                    try history.history(HistoryRequest(after: last)).count, 1,
                    "the transactions when it is begun twice")
            },
            claim("Each save is a transaction with the number of the state that it made") {
                driver, history in
                try history.beginHistory()
                var generations: [Int64] = []
                for author in ["one", nil, "", "one", "zwölf"] {
                    var draft = driver.draft()
                    try draft.insert("Disc")
                    draft.changes.author = author
                    draft.changes.contextName = author.map { "context " + $0 }
                    generations.append(try driver.commit(draft).generation.rawValue)
                }
                let told = try history.all()
                try checkEqual(told.map(\.transactionNumber), generations, "the numbers")
                try checkEqual(
                    told.map(\.author), ["one", nil, "", "one", "zwölf"], "the authors")
                try checkEqual(
                    told.map(\.contextName),
                    ["context one", nil, "context ", "context one", "context zwölf"],
                    "the names of the contexts")
                let store = driver.store.handle.uuid
                try check(told.allSatisfy { $0.storeID == store }, "another store is named")
                let process = String(ProcessInfo.processInfo.processIdentifier)
                try check(told.allSatisfy { $0.processID == process }, "another process is named")
                try check(told.allSatisfy { !$0.bundleID.isEmpty }, "no program is named")
                try checkEqual(
                    told.map(\.token),
                    generations.map { PersistentHistoryToken([store ?? UUID(): $0]) }, "the tokens")
                try checkEqual(
                    try history.historyExtent()?.last, generations.last, "the end")
            },
            claim("A save that is not committed is no transaction") { driver, history in
                let library = try Library(driver)
                try history.beginHistory()
                let stale = try driver.existingRow(library.book)
                try driver.commit { try $0.update(library.book, ["rank": .integer(7)]) }
                _ = try driver.conflicts { $0.update(stale, ["rank": .integer(8)]) }
                _ = try driver.conflicts { try $0.insert("Tag", ["name": .text("red")]) }
                var cancelled = driver.draft()
                try cancelled.insert("Disc")
                let flag = CancellationFlag()
                flag.cancel()
                cancelled.changes.cancellation = flag
                let changes = cancelled.changes
                try checkThrows(.cancelled, "a cancelled save") { try driver.store.save(changes) }
                try checkEqual(try history.all().count, 1, "the transactions")
                try driver.commit { try $0.update(library.book, ["rank": .integer(9)]) }
                let told = try history.all()
                try checkEqual(told.count, 2, "the transactions after one more")
                try checkEqual(
                    told.last?.transactionNumber,
                    try driver.store.snapshot().generation.rawValue, "the last one's number")
                try checkEqual(
                    Set(told.flatMap { $0.changes ?? [] }.map(\.changeID)).count, 2,
                    "the numbers of changes")
            },
            claim("A save of metadata is a transaction without changes") { driver, history in
                try history.beginHistory()
                var draft = driver.draft()
                draft.changes.metadata = ["note": .integer(1)]
                try driver.commit(draft)
                try checkEqual(try history.all().map(\.changes), [[]], "the changes")
            },
            claim("A history goes on when the store is opened again", requires: .durable) {
                driver, history in
                try history.beginHistory()
                try driver.commit { try $0.insert("Disc") }
                try history.setHistoryConsumer(named: "one", at: 1, leaseSeconds: 60)
                let before = try history.all()
                let consumers = try history.historyConsumers()
                let again = try driver.reopened()
                let reopened = try again.store.historyTracking()
                try checkEqual(try reopened.all(), before, "the transactions")
                try checkEqual(try reopened.historyConsumers(), consumers, "the consumers")
                _ = try again.insert("Disc")
                try checkEqual(try reopened.all().count, 2, "the transactions after one more")
            },
        ]
    }

    // MARK: - Changes

    private static var changes: [ConformanceCase] {
        [
            claim("A transaction lists what became of every object") { driver, history in
                let library = try Library(driver)
                try history.beginHistory()
                var draft = driver.draft()
                let shelf = try draft.insert("Shelf", ["name": .text("new")])
                let disc = try draft.insert("Disc", ["shelf": .objectID(shelf)])
                try draft.update(
                    library.novel, ["rank": .integer(5), "shelf": .objectID(library.lowShelf)])
                try draft.update(library.lowShelf, ["favourite": .null])
                try draft.delete(library.disc)
                try driver.commit(draft)
                try checkEqual(
                    try history.changes(),
                    [
                        Change(shelf, .insert), Change(disc, .insert),
                        Change(library.novel, .update, ["rank", "shelf"]),
                        Change(library.lowShelf, .update, ["favourite"]),
                        Change(library.disc, .delete),
                    ], "the changes")
                let types = try history.all().flatMap { $0.changes ?? [] }.map(
                    \.changeType.rawValue)
                try checkEqual(types, types.sorted(), "the kinds, in order")
            },
            claim("A changed pair is an update of both its ends, but of new and deleted ones") {
                driver, history in
                let library = try Library(driver)
                try history.beginHistory()
                var draft = driver.draft()
                let tag = try draft.insert("Tag", ["name": .text("green")])
                draft.relate("Item.tags", library.novel, tag)
                draft.relate("Item.tags", library.disc, library.blueTag)
                draft.unrelate("Tag.related", library.redTag, library.blueTag)
                try draft.update(library.blueTag, ["name": .text("azure")])
                try driver.commit(draft)
                try checkEqual(
                    try history.changes(),
                    [
                        Change(tag, .insert), Change(library.novel, .update, ["tags"]),
                        Change(library.disc, .update, ["tags"]),
                        Change(library.redTag, .update, ["related"]),
                        Change(library.blueTag, .update, ["items", "name", "relatedBy"]),
                    ], "the changes")
            },
            claim("A deleted object leaves the values that are to be kept") { driver, history in
                let library = try Library(driver)
                let full = try driver.insert("Sample", SampleValues.all.compactMapValues(\.last))
                let empty = try driver.insert("Sample")
                try history.beginHistory()
                let wanted = try [library.sample, full, empty].map {
                    try kept(driver.values($0) ?? [:])
                }
                try driver.commit { draft in
                    for id in [library.sample, full, empty, library.novel, library.redTag] {
                        try draft.delete(id)
                    }
                }
                var left: [ManagedObjectID: [String: StoredValue]?] = [:]
                for change in try history.all().flatMap({ $0.changes ?? [] }) {
                    left[change.changedObjectID] = change.tombstone
                }
                try checkEqual(
                    [library.sample, full, empty].map { left[$0] ?? nil }, wanted,
                    "what samples leave")
                try checkEqual(
                    left[library.novel] ?? nil, ["isbn": .text("222")], "what a novel leaves")
                try checkEqual(left[library.redTag] ?? nil, nil, "what a tag leaves")
            },
            claim("Many changes are all told") { driver, history in
                try history.beginHistory()
                var draft = driver.draft()
                var inserted: [ManagedObjectID] = []
                for number in 0..<200 {
                    inserted.append(try draft.insert(number % 3 == 0 ? "Book" : "Disc"))
                }
                try driver.commit(draft)
                try driver.commit { draft in
                    for (number, id) in inserted.enumerated() {
                        try draft.update(
                            id,
                            number % 2 == 0
                                ? ["rank": .integer(1)]
                                : ["rank": .integer(1), "label": .text("x")])
                    }
                }
                try driver.commit { draft in for id in inserted { try draft.delete(id) } }
                let told = try history.all()
                try checkEqual(told.count, 3, "the transactions")
                for (place, type) in [
                    PersistentHistoryChange.ChangeType.insert, .update, .delete,
                ].enumerated() {
                    let changes = told[place].changes ?? []
                    try checkEqual(
                        changes.map(\.changedObjectID).sorted(), inserted.sorted(), "the objects")
                    try check(changes.allSatisfy { $0.changeType == type }, "another kind")
                    try check(
                        changes.allSatisfy {
                            $0.transactionNumber == told[place].transactionNumber
                        }, "another transaction")
                }
                for change in told[1].changes ?? [] {
                    let isEven = inserted.firstIndex(of: change.changedObjectID).map { $0 % 2 == 0 }
                    try checkEqual(
                        change.updatedProperties, isEven == true ? ["rank"] : ["rank", "label"],
                        "the properties")
                }
                let numbers = told.flatMap { $0.changes ?? [] }.map(\.changeID)
                try checkEqual(numbers, numbers.sorted(), "the numbers, in order")
                try checkEqual(Set(numbers).count, 600, "the numbers")
            },
            claim("A batch is one transaction of all its parts", requires: .batches) {
                driver, history in
                let library = try Library(driver)
                try history.beginHistory()
                var made: [ManagedObjectID] = []
                let heading = ChangeSet(author: "batch", contextName: "background")
                let generation = try driver.batch(heading) { batch in
                    made.append(try batch.insert("Shelf", ["name": .text("one")]))
                    try batch.write { draft in
                        try draft.update(library.book, ["rank": .integer(9)])
                        try draft.delete(library.sample)
                    }
                    made.append(try batch.insert("Shelf", ["name": .text("two")]))
                    // A part that violates a constraint is not written.
                    var part = driver.draft()
                    try part.insert("Tag", ["name": .text("red")], key: batch.key("Tag"))
                    _ = try batch.transaction.write(part.changes)
                }
                let told = try history.all()
                try checkEqual(
                    told.map(\.transactionNumber), [generation?.rawValue], "the transactions")
                try checkEqual(told.first?.author, "batch", "the author")
                try checkEqual(told.first?.contextName, "background", "the context")
                try checkEqual(
                    try history.changes(),
                    [
                        Change(made[0], .insert), Change(library.book, .update, ["rank"]),
                        Change(library.sample, .delete), Change(made[1], .insert),
                    ], "the changes")
                try checkThrows(.io, "a batch that fails") {
                    try driver.batch { batch in
                        _ = try batch.insert("Disc")
                        throw StoreError(.io, "As if.")
                    }
                }
                _ = try driver.batch { _ in }
                try checkEqual(try history.all().count, 1, "the transactions at the end")
            },
            claim("What a batch writes at once is told, too", requires: .batches) {
                driver, history in
                for entity in ["Disc", "Novel", "Entry"] {
                    try driver.commit { draft in
                        for _ in 0..<1_100 { try draft.insert(entity) }
                    }
                }
                let ids = try driver.contents().records.keys
                let (entries, items) = (
                    ids.filter { $0.entityName == "Entry" }, ids.filter { $0.entityName != "Entry" }
                )
                try history.beginHistory()
                let update = try BatchUpdate(
                    driver.query("Item"), setting: [("label", .constant(.text("new")))],
                    BatchSettings(author: "update")
                ).run(on: driver.store)
                let deletion = try BatchDeletion(
                    .query(driver.query("Entry")), BatchSettings(author: "deletion")
                ).run(on: driver.store)
                let told = try history.all()
                try checkEqual(told.map(\.author), ["update", "deletion"], "the authors")
                try checkEqual(
                    told.map(\.transactionNumber),
                    [update.generation?.rawValue, deletion.generation?.rawValue], "the numbers")
                try checkEqual(
                    try history.changes(),
                    Set(items.map { Change($0, .update, ["label"]) })
                        .union(entries.map { Change($0, .delete) }), "the changes")
            },
        ]
    }

    // MARK: - Requests

    private static var requests: [ConformanceCase] {
        [
            claim("Requests are answered from and to where they say") { driver, history in
                _ = try Library(driver)
                try history.beginHistory()
                let first = try history.historyExtent()?.last ?? 0
                for _ in 0..<5 { _ = try driver.insert("Disc") }
                let all = try history.history(HistoryRequest(after: first))
                try checkEqual(all.count, 5, "all")
                for after in 0...5 {
                    for through in 0...5 {
                        for limit in [0, 1, 2, .max] {
                            let request = HistoryRequest(
                                after: first + Int64(after), through: first + Int64(through),
                                limit: limit)
                            let wanted = all.prefix(through).dropFirst(after).prefix(limit)
                            try checkEqual(
                                try history.history(request), Array(wanted), "\(request)")
                        }
                    }
                }
                let bare = try history.history(
                    HistoryRequest(after: first, includesChanges: false))
                try checkEqual(bare.map(\.changes), Array(repeating: nil, count: 5), "no changes")
                try checkEqual(bare.map(\.token), all.map(\.token), "the tokens")
            },
            claim("What is not told any more, or not yet, is refused") { driver, history in
                _ = try Library(driver)
                try history.beginHistory()
                let first = try history.historyExtent()?.last ?? 0
                for _ in 0..<3 { _ = try driver.insert("Disc") }
                for number in [-1, 0, first - 1, first + 4, .max] {
                    try checkThrows(.historyTokenExpired, "what follows \(number)") {
                        try history.history(HistoryRequest(after: number))
                    }
                }
            },
        ]
    }

    // MARK: - Deleting

    private static var deletions: [ConformanceCase] {
        [
            claim("Deleted transactions are gone, and what needs them is refused") {
                driver, history in
                try history.beginHistory()
                let first = try history.historyExtent()?.last ?? 0
                for _ in 0..<4 { _ = try driver.insert("Disc") }
                let all = try history.all()
                let outcome = try history.deleteHistory(HistoryDeletion(through: first + 2))
                try checkEqual(
                    outcome, HistoryDeletion.Outcome(count: 2, keptFor: []), "the outcome")
                try checkEqual(
                    try history.historyExtent(),
                    HistoryExtent(deletedThrough: first + 2, last: first + 4), "what is told")
                try checkEqual(try history.all(), Array(all.dropFirst(2)), "the rest")
                try checkThrows(.historyTokenExpired, "what was deleted") {
                    try history.history(HistoryRequest(after: first + 1))
                }
                let again = try history.deleteHistory(HistoryDeletion(through: first + 1))
                try checkEqual(again.count, 0, "what is deleted twice")
                let rest = try history.deleteHistory(HistoryDeletion())
                try checkEqual(rest.count, 2, "the rest that is deleted")
                try checkEqual(
                    try history.historyExtent(),
                    HistoryExtent(deletedThrough: first + 4, last: first + 4),
                    "what is told when all is deleted")
                _ = try driver.insert("Disc")
                let next = try history.history(HistoryRequest(after: first + 4))
                try checkEqual(next.map(\.transactionNumber), [first + 5], "the next one")
                let last = all.last?.changes?.last?.changeID ?? 0
                try check(
                    (next.first?.changes?.first?.changeID ?? 0) > last,
                    "the number of a change was given twice")
            },
            claim("What is younger is not deleted") { driver, history in
                try history.beginHistory()
                for _ in 0..<3 { _ = try driver.insert("Disc") }
                let now = Date()
                let none = try history.deleteHistory(HistoryDeletion(olderThan: now - 3_600))
                try checkEqual(none.count, 0, "what is older than an hour")
                let all = try history.deleteHistory(HistoryDeletion(olderThan: now + 3_600))
                try checkEqual(all.count, 3, "what is older than the future")
            },
            claim("What a live consumer needs is not deleted") { driver, history in
                try history.beginHistory()
                let first = try history.historyExtent()?.last ?? 0
                for _ in 0..<6 { _ = try driver.insert("Disc") }
                try history.setHistoryConsumer(named: "slow", at: first + 2, leaseSeconds: 3_600)
                try history.setHistoryConsumer(named: "quick", at: first + 4, leaseSeconds: 3_600)
                try history.setHistoryConsumer(named: "gone", at: first, leaseSeconds: -1)
                try checkEqual(
                    try history.historyConsumers().map(\.name), ["gone", "quick", "slow"],
                    "the consumers")
                let outcome = try history.deleteHistory(HistoryDeletion())
                try checkEqual(
                    outcome, HistoryDeletion.Outcome(count: 2, keptFor: ["quick", "slow"]),
                    "the outcome")
                try checkEqual(
                    try history.history(HistoryRequest(after: first + 2)).count, 4,
                    "what the slow one reads")
                try checkThrows(.historyTokenExpired, "what the lapsed one reads") {
                    try history.history(HistoryRequest(after: first))
                }
                try history.setHistoryConsumer(named: "slow", at: first + 5, leaseSeconds: 3_600)
                try checkEqual(
                    try history.deleteHistory(HistoryDeletion()),
                    HistoryDeletion.Outcome(count: 2, keptFor: ["quick", "slow"]),
                    "the outcome once the slow one went on")
                try history.removeHistoryConsumer(named: "quick")
                try history.removeHistoryConsumer(named: "unknown")
                try checkEqual(
                    try history.deleteHistory(HistoryDeletion(through: first + 5)),
                    HistoryDeletion.Outcome(count: 1, keptFor: []),
                    "the outcome of what nobody needs")
                try checkEqual(
                    try history.historyConsumers().map(\.name), ["gone", "slow"],
                    "the consumers at the end")
                let generation = try driver.store.snapshot().generation.rawValue
                try checkEqual(generation, first + 6, "the state, which consumers do not change")
            },
        ]
    }

    /// The expected tombstones of samples.
    private static func kept(_ values: PropertyValues) -> [String: StoredValue] {
        var result: [String: StoredValue] = [:]
        for attribute in ConformanceModel.sampleAttributes {
            result[attribute.name] = values[attribute.name] ?? .null
        }
        return result
    }
}

/// A change without its numbers, and with an order.
private struct Change: Hashable, Comparable, CustomStringConvertible {
    var id: ManagedObjectID
    var type: PersistentHistoryChange.ChangeType
    var properties: Set<String>?

    init(
        _ id: ManagedObjectID, _ type: PersistentHistoryChange.ChangeType,
        _ properties: Set<String>? = nil
    ) {
        self.id = id
        self.type = type
        self.properties = properties
    }

    static func < (a: Change, b: Change) -> Bool { a.id < b.id }

    var description: String {
        "\(type) of \(id.entityName) \(id.key) \((properties ?? []).sorted())"
    }
}

extension HistoryTrackingStore {
    /// All transactions in the history.
    fileprivate func all() throws -> [PersistentHistoryTransaction] {
        try history(HistoryRequest(after: historyExtent()?.deletedThrough ?? 0))
    }

    fileprivate func changes() throws -> Set<Change> {
        let changes = try all().flatMap { $0.changes ?? [] }
        let found = Set(
            changes.map { Change($0.changedObjectID, $0.changeType, $0.updatedProperties) })
        try checkEqual(found.count, changes.count, "changes, each once")
        return found
    }
}
