import DuramenModel
import DuramenQuery
import DuramenStore
import Foundation

/// Law 11: a batch is one save of many parts.
enum BatchCases {
    static var all: [ConformanceCase] {
        wholeness + parts + [
            ConformanceCase(.batches, "Batches that are not declared are refused") { driver in
                let isDeclared = driver.store.capabilities.contains(.batches)
                try checkEqual(
                    driver.store is any BatchWritingStore, isDeclared, "what it conforms to")
                if isDeclared { return }
                try checkThrows(.unsupported, "an undeclared batch") {
                    try driver.store.batchWriting()
                }
            }
        ]
    }

    private static func claim(
        _ name: String, _ body: @escaping @Sendable (StoreDriver) throws -> Void
    ) -> ConformanceCase {
        ConformanceCase(.batches, name, requires: .batches, body)
    }

    private static var wholeness: [ConformanceCase] {
        [
            claim("A batch makes one state, which nobody sees before its end") { driver in
                let library = try Library(driver)
                let before = try driver.contents()
                let generation = try driver.store.snapshot().generation
                let heading = ChangeSet()
                let made = try driver.batch(heading) { batch in
                    _ = try batch.insert("Shelf", ["name": .text("one")])
                    _ = try batch.insert("Shelf", ["name": .text("two")])
                    try checkSame(try driver.contents(), before, "the store while it is written")
                    try checkSame(
                        try driver.contents(in: batch.transaction.base), before, "its base")
                    try batch.write { try $0.delete(library.disc) }
                }
                let now = try driver.store.snapshot().generation
                try check(now > generation, "the generation did not grow")
                try checkEqual(made, now, "the state that it says it made")
                try checkEqual(
                    try driver.store.generation(ofSave: heading.identifier), now,
                    "the state found by its identifier")
                try checkEqual(
                    try driver.names(of: "Shelf"), ["high", "low", "one", "two"], "the shelves")
                try checkEqual(try driver.values(library.disc), nil, "the deleted row")
            },
            claim("A batch that fails leaves nothing behind") { driver in
                let library = try Library(driver)
                let before = try driver.contents()
                let metadata = try driver.store.metadata()
                let generation = try driver.store.snapshot().generation
                let heading = ChangeSet(metadata: ["note": .integer(1)])
                try checkThrows(.io, "the batch") {
                    try driver.batch(heading) { batch in
                        _ = try batch.insert("Disc", ["code": .text("new")])
                        try batch.write { try $0.update(library.book, ["rank": .integer(9)]) }
                        try batch.write { try $0.delete(library.redTag) }
                        throw StoreError(.io, "As if.")
                    }
                }
                try checkSame(try driver.contents(), before, "the store")
                try checkEqual(try driver.store.metadata(), metadata, "the metadata")
                try checkEqual(try driver.store.snapshot().generation, generation, "its state")
                try checkEqual(
                    try driver.store.generation(ofSave: heading.identifier), nil, "its identifier")
                try driver.commit { try $0.update(library.book, ["rank": .integer(3)]) }
            },
            claim("A batch that is cancelled leaves nothing behind") { driver in
                _ = try Library(driver)
                let before = try driver.contents()
                let flag = CancellationFlag()
                try checkThrows(.cancelled, "the batch") {
                    try driver.batch(ChangeSet(cancellation: flag)) { batch in
                        _ = try batch.insert("Disc")
                        flag.cancel()
                    }
                }
                try checkSame(try driver.contents(), before, "the store")
            },
            claim("A batch without parts makes no state") { driver in
                _ = try Library(driver)
                let generation = try driver.store.snapshot().generation
                let heading = ChangeSet()
                try checkEqual(try driver.batch(heading) { _ in }, nil, "the state that it made")
                try checkEqual(try driver.store.snapshot().generation, generation, "the state")
                try checkEqual(
                    try driver.store.generation(ofSave: heading.identifier), nil, "its identifier")
            },
            claim("The metadata of a batch commits with it") { driver in
                _ = try driver.batch(ChangeSet(metadata: ["note": .integer(1)])) { batch in
                    _ = try batch.insert("Disc")
                    try checkEqual(
                        try driver.store.metadata().userInfo["note"], nil, "the entry meanwhile")
                }
                try checkEqual(
                    try driver.store.metadata().userInfo["note"], .integer(1), "the entry")
            },
        ]
    }

    private static var parts: [ConformanceCase] {
        [
            claim("A part that would break a constraint is not written, and others may be") {
                driver in
                let library = try Library(driver)
                _ = try driver.batch { batch in
                    var part = driver.draft()
                    try part.insert("Tag", ["name": .text("green")], key: batch.key("Tag"))
                    let red = try part.insert(
                        "Tag", ["name": .text("red")], key: batch.key("Tag"))
                    let conflicts = try batch.transaction.write(part.changes)
                    try checkEqual(conflicts.map(\.id), [red], "the objects in conflict")
                    try checkEqual(
                        conflicts.map(\.otherID), [library.redTag], "the others in conflict")
                    try checkEqual(
                        conflicts.map { $0.storedRow.map(driver.id) }, [library.redTag],
                        "the stored rows")
                    _ = try batch.insert("Tag", ["name": .text("green")])
                    _ = try batch.insert("Tag", ["name": .text("yellow")])
                }
                try checkEqual(
                    try driver.names(of: "Tag"), ["blue", "green", "red", "yellow"], "the tags")
            },
            claim("A part is judged against what the parts before have left") { driver in
                _ = try Library(driver)
                _ = try driver.batch { batch in
                    let first = try batch.insert("Tag", ["name": .text("green")])
                    var part = driver.draft()
                    try part.insert("Tag", ["name": .text("green")], key: batch.key("Tag"))
                    let conflicts = try batch.transaction.write(part.changes)
                    try checkEqual(conflicts.map(\.otherID), [first], "the row of an earlier part")
                    guard let row = conflicts.first?.storedRow else {
                        throw Difference("the row of an earlier part is missing")
                    }
                    try batch.write { $0.update(row, ["name": .text("yellow")]) }
                    let again = try batch.transaction.write(part.changes)
                    try checkEqual(again.count, 0, "the conflicts once the value is free")
                }
                try checkEqual(
                    try driver.names(of: "Tag"), ["blue", "green", "red", "yellow"], "the tags")
            },
            claim("The edits of a part are simultaneous") { driver in
                let library = try Library(driver)
                _ = try driver.batch { batch in
                    try batch.write { draft in
                        try draft.update(library.redTag, ["name": .text("blue")])
                        try draft.update(library.blueTag, ["name": .text("red")])
                    }
                }
                try checkEqual(
                    try driver.values(library.redTag)?["name"], .text("blue"), "the first tag")
                try checkEqual(
                    try driver.values(library.blueTag)?["name"], .text("red"), "the other one")
            },
            claim("A part that is based on another version ends the batch") { driver in
                let library = try Library(driver)
                let stale = try driver.existingRow(library.book)
                try driver.commit { try $0.update(library.book, ["rank": .integer(7)]) }
                let before = try driver.contents()
                for change in 0..<3 {
                    try checkThrows(.invalidRequest, "the batch") {
                        try driver.batch { batch in
                            _ = try batch.insert("Disc")
                            try batch.write { draft in
                                switch change {
                                case 0: draft.update(stale, ["rank": .integer(8)])
                                case 1: draft.delete(stale)
                                default: draft.check(stale)
                                }
                            }
                        }
                    }
                }
                try checkSame(try driver.contents(), before, "the store")
            },
            claim("Rows that a batch writes have versions that they never had") { driver in
                let library = try Library(driver)
                let stale = try driver.existingRow(library.book)
                _ = try driver.batch { batch in
                    try batch.write { try $0.update(library.book, ["rank": .integer(7)]) }
                }
                let conflicts = try driver.conflicts { $0.update(stale, ["rank": .integer(8)]) }
                try checkEqual(conflicts.count, 1, "the conflicts of an older base")
                try driver.commit { try $0.update(library.book, ["rank": .integer(9)]) }
            },
            claim("Pairs and keys of a batch are those of saves") { driver in
                let library = try Library(driver)
                var tag: ManagedObjectID?
                _ = try driver.batch { batch in
                    let made = try batch.insert("Tag", ["name": .text("green")])
                    tag = made
                    try batch.write { draft in
                        draft.relate("Item.tags", library.novel, made)
                        try draft.delete(library.redTag)
                    }
                }
                try checkEqual(
                    try driver.destinations("Item.tags", of: library.novel),
                    [tag].compactMap { $0 },
                    "the added pair")
                try checkEqual(
                    try driver.destinations("Item.tags", of: library.book), [], "the lost pair")
                let next = try driver.insert("Tag", ["name": .text("next")])
                try check(next.key != tag?.key, "a key was handed out twice")
            },
        ]
    }
}

/// A batch in progress, driven by property names.
struct BatchDriver {
    let transaction: any BatchTransaction
    fileprivate let driver: StoreDriver

    /// Returns a new key of an entity.
    func key(_ entity: String) throws -> Int64 {
        try transaction.allocateKeys(1, for: driver.entity(entity).id).lowerBound
    }

    /// Writes a part with one new object.
    func insert(_ entity: String, _ values: PropertyValues = [:]) throws -> ManagedObjectID {
        var draft = driver.draft()
        let id = try draft.insert(entity, values, key: key(entity))
        try write(draft)
        return id
    }

    /// Writes a part, which must not conflict.
    func write(_ edit: (inout ChangeDraft) throws -> Void) throws {
        var draft = driver.draft()
        try edit(&draft)
        try write(draft)
    }

    private func write(_ draft: ChangeDraft) throws {
        let conflicts = try transaction.write(draft.changes)
        try checkEqual(conflicts.count, 0, "the conflicts of a part without reason for any")
    }
}

extension StoreDriver {
    /// The names of all objects of an entity, sorted.
    func names(of entity: String) throws -> [String] {
        let own = self.entity(entity)
        return try contents().records.compactMap { id, record in
            guard model.entity(of: id) == own, case .text(let name)? = record.values["name"] else {
                return nil
            }
            return name.string
        }.sorted()
    }

    /// Writes a batch.
    func batch(
        _ heading: ChangeSet = ChangeSet(), _ body: (BatchDriver) throws -> Void
    ) throws -> StoreGeneration? {
        var failure: (any Error)?
        do throws(StoreError) {
            return try store.batchWriting().writeBatch(heading) { transaction throws(StoreError) in
                do {
                    try body(BatchDriver(transaction: transaction, driver: self))
                } catch let error as StoreError {
                    throw error
                } catch {
                    failure = error
                    throw StoreError(.io, "The case failed.")
                }
            }
        } catch {
            throw failure ?? error
        }
    }
}
