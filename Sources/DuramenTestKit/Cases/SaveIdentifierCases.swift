import DuramenModel
import DuramenQuery
import DuramenStore
import Foundation

/// Law 10 for the identifier that every save writes, with which an unknown outcome is resolved.
enum SaveIdentifierCases {
    static var all: [ConformanceCase] { committed + notCommitted }

    private static var committed: [ConformanceCase] {
        [
            ConformanceCase(.metadata, "A save is found by its identifier, with its generation") {
                driver in
                let library = try Library(driver)
                var saves: [UUID: StoreGeneration] = [:]
                for step in 0..<4 {
                    var draft = driver.draft()
                    try draft.update(library.book, ["rank": .integer(Int64(100 + step))])
                    if step == 2 { draft.changes.metadata = ["step": .integer(2)] }
                    saves[draft.changes.identifier] = try driver.commit(draft).generation
                    for (identifier, generation) in saves {
                        try checkEqual(
                            try driver.store.generation(ofSave: identifier), generation,
                            "the generation of one of \(saves.count) saves")
                    }
                }
                try checkEqual(Set(saves.values).count, 4, "the number of generations")
            },
            ConformanceCase(.metadata, "The generation of a save is the one that snapshots show") {
                driver in
                let library = try Library(driver)
                var draft = driver.draft()
                try draft.delete(library.disc)
                try driver.commit(draft)
                try checkEqual(
                    try driver.store.generation(ofSave: draft.changes.identifier),
                    try driver.store.snapshot().generation, "the newest generation")
            },
            ConformanceCase(.metadata, "The last 1,024 saves are remembered") { driver in
                var saves: [(identifier: UUID, generation: StoreGeneration)] = []
                for step in 0..<1_030 {
                    let changes = ChangeSet(metadata: ["step": .integer(Int64(step))])
                    guard case .saved(let receipt) = try driver.store.save(changes) else {
                        throw Difference("a save of metadata conflicted")
                    }
                    saves.append((changes.identifier, receipt.generation))
                }
                for (age, save) in saves.suffix(1_024).reversed().enumerated() {
                    try checkEqual(
                        try driver.store.generation(ofSave: save.identifier), save.generation,
                        "the generation of a save with \(age) later ones")
                }
            },
            ConformanceCase(
                .metadata, "Saves are found after closing and opening", requires: .durable
            ) { driver in
                let library = try Library(driver)
                var draft = driver.draft()
                try draft.update(library.book, ["rank": .integer(5)])
                let generation = try driver.commit(draft).generation
                let reopened = try driver.reopened()
                try checkEqual(
                    try reopened.store.generation(ofSave: draft.changes.identifier), generation,
                    "the generation after opening")
            },
        ]
    }

    private static var notCommitted: [ConformanceCase] {
        [
            ConformanceCase(.metadata, "What was never saved is not found") { driver in
                try checkEqual(
                    try driver.store.generation(ofSave: UUID()), nil, "a save of a new store")
                _ = try Library(driver)
                try checkEqual(
                    try driver.store.generation(ofSave: UUID()), nil, "a save that never was")
            },
            ConformanceCase(.metadata, "Conflicted, cancelled and refused saves are not found") {
                driver in
                let library = try Library(driver)
                let stale = try driver.existingRow(library.book)
                try driver.commit { try $0.update(library.book, ["rank": .integer(2)]) }

                var conflicted = driver.draft()
                conflicted.update(stale, ["rank": .integer(3)])
                _ = try driver.conflicts(conflicted)
                try checkNotFound(conflicted, driver, "a conflicted save")

                var cancelled = driver.draft()
                try cancelled.update(library.book, ["rank": .integer(4)])
                let flag = CancellationFlag()
                flag.cancel()
                cancelled.changes.cancellation = flag
                try checkThrows(.cancelled, "a cancelled save") {
                    try driver.store.save(cancelled.changes)
                }
                try checkNotFound(cancelled, driver, "a cancelled save")

                var refused = driver.draft()
                try refused.insert("Disc", key: library.book.key)
                try checkThrows(.invalidRequest, "an insert under a key in use") {
                    try driver.store.save(refused.changes)
                }
                try checkNotFound(refused, driver, "a refused save")
            },
            ConformanceCase(.metadata, "A conflicted save is found once it is made good") {
                driver in
                let library = try Library(driver)
                let stale = try driver.existingRow(library.book)
                try driver.commit { try $0.update(library.book, ["rank": .integer(2)]) }
                var draft = driver.draft()
                draft.update(stale, ["rank": .integer(3)])
                _ = try driver.conflicts(draft)
                draft.changes.updates = []
                try draft.update(library.book, ["rank": .integer(3)])
                let generation = try driver.commit(draft).generation
                try checkEqual(
                    try driver.store.generation(ofSave: draft.changes.identifier), generation,
                    "the generation of the second attempt")
            },
        ]
    }

    private static func checkNotFound(
        _ draft: ChangeDraft, _ driver: StoreDriver, _ subject: String
    ) throws {
        try checkEqual(
            try driver.store.generation(ofSave: draft.changes.identifier), nil, subject)
    }
}
