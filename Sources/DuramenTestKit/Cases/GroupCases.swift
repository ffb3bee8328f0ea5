import DuramenModel
import DuramenQuery
import DuramenStore
import Foundation

/// Law 16: a group has the outcome of its saves, made one after the other.
enum GroupCases {
    static var all: [ConformanceCase] {
        [
            ConformanceCase(.groups, "A store that declares group saves conforms to them") {
                driver in
                if !driver.store.capabilities.contains(.groupSaves) { return }
                _ = try grouping(driver.store)
            },
            claim("A group of random saves equals them one after the other") { driver in
                for seed in 1...6 as ClosedRange<UInt64> {
                    var comparison = try GroupComparison(driver, seed: seed)
                    try comparison.run(rounds: 12)
                }
            },
            claim("Each save of a group makes a state, and they are in order") { driver in
                let library = try Library(driver)
                let before = try driver.store.snapshot().generation
                let group = try (0..<5).map { number in
                    var draft = driver.draft()
                    try draft.insert("Tag", ["name": .text(StoredText("t\(number)"))])
                    draft.changes.metadata = ["last": .integer(Int64(number))]
                    return draft.changes
                }
                let receipts = try grouping(driver.store).save(group).map(receipt)
                try checkEqual(receipts.count, group.count, "the number of results")
                var last = before
                for (changes, receipt) in zip(group, receipts) {
                    try check(receipt.generation > last, "the generations do not grow")
                    last = receipt.generation
                    try checkEqual(receipt.insertedVersions.count, 1, "the versions of a save")
                    try checkEqual(
                        try driver.store.generation(ofSave: changes.identifier), last,
                        "the state found by the identifier")
                }
                try checkEqual(try driver.store.snapshot().generation, last, "the newest state")
                try checkEqual(
                    try driver.store.metadata().userInfo["last"], .integer(4), "the metadata")
                _ = try driver.existingRow(library.book)
            },
            ConformanceCase(
                .groups, "A save that is completed with derived values keeps its place",
                requires: [.groupSaves, .derivedAttributes]
            ) { driver in
                let driver = try StoreDriver(driver.fixture, model: DerivedModel.shared)
                var last = try driver.store.snapshot().generation
                let group = try (0..<6).map { number in
                    var draft = driver.draft()
                    try draft.insert(
                        number % 3 == 1 ? "Account" : "Team",
                        ["name": .text(StoredText("n\(number)"))])
                    return draft.changes
                }
                for receipt in try grouping(driver.store).save(group).map(receipt) {
                    try check(receipt.generation > last, "the generations do not grow")
                    last = receipt.generation
                }
                try checkEqual(
                    try driver.names(of: "Account"), ["n1", "n4"], "the rows with derived values")
            },
            claim("A save of a group is compared with those before it") { driver in
                let library = try Library(driver)
                let stale = try driver.existingRow(library.book)
                let group = (0..<4).map { number in
                    var draft = driver.draft()
                    draft.update(stale, ["rank": .integer(Int64(10 + number))])
                    return draft.changes
                }
                let results = try grouping(driver.store).save(group)
                let first = try receipt(results[0])
                for result in results.dropFirst() {
                    guard case .success(.conflicted(let conflicts)) = result,
                        conflicts.count == 1, case .version(let conflict) = conflicts[0]
                    else { throw Difference("a later change of the row has no conflict") }
                    try checkEqual(
                        conflict.storedRow?.version, first.updatedVersions.first,
                        "the stored version in the conflict")
                }
                try checkEqual(
                    try driver.values(library.book)?["rank"], .integer(10), "the value")
            },
            claim("A save that conflicts, fails or is cancelled does not stop the others") {
                driver in
                let library = try Library(driver)
                let stale = try driver.existingRow(library.book)
                try driver.commit { try $0.update(library.book, ["rank": .integer(7)]) }
                let flag = CancellationFlag()
                flag.cancel()
                var group = try (0..<8).map { number in
                    var draft = driver.draft()
                    try draft.insert("Tag", ["name": .text(StoredText("g\(number)"))])
                    return draft
                }
                group[1].update(stale, ["rank": .integer(8)])
                group[3].changes.cancellation = flag
                try group[5].insert("Disc", ["code": .text("b1")])
                // No context sends a row twice.
                group[6].changes.inserts.append(group[6].changes.inserts[0])
                let results = try grouping(driver.store).save(group.map(\.changes))
                let kinds = results.map(SaveKind.init)
                try checkEqual(
                    kinds,
                    [
                        .saved, .conflicted, .saved, .failed(.cancelled), .saved, .conflicted,
                        .failed(.invalidRequest), .saved,
                    ], "the results")
                try checkEqual(
                    try driver.names(of: "Tag"), ["blue", "g0", "g2", "g4", "g7", "red"],
                    "the saved rows")
            },
            claim("A group without saves makes no state") { driver in
                let before = try driver.store.snapshot().generation
                try checkEqual(try grouping(driver.store).save([]).count, 0, "the results")
                try checkEqual(try driver.store.snapshot().generation, before, "the state")
            },
        ]
    }

    private static func claim(
        _ name: String, _ body: @escaping @Sendable (StoreDriver) throws -> Void
    ) -> ConformanceCase {
        ConformanceCase(.groups, name, requires: .groupSaves, body)
    }

    static func grouping(_ store: any PersistentStore) throws -> any GroupSavingStore {
        guard let grouping = store as? any GroupSavingStore else {
            throw Difference("the store declares what it does not conform to")
        }
        return grouping
    }

    private static func receipt(
        _ result: Result<SaveOutcome, StoreError>
    ) throws -> SaveReceipt {
        guard case .success(.saved(let receipt)) = result else {
            throw Difference("a save without reason to fail was not written")
        }
        return receipt
    }
}

/// The end of a save, for comparing.
enum SaveKind: Equatable {
    case saved
    case conflicted
    case failed(StoreError.Code)

    init(_ result: Result<SaveOutcome, StoreError>) {
        switch result {
        case .success(.saved): self = .saved
        case .success(.conflicted): self = .conflicted
        case .failure(let error): self = .failed(error.code)
        }
    }
}
