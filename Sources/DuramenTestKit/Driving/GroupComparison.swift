import DuramenModel
import DuramenStore

/// Writes random groups to a store, and the same saves one after the other to a second store of its
/// kind.
struct GroupComparison {
    /// One of the two stores, with its objects by number.
    private struct Side {
        let driver: StoreDriver
        var discs: [Int: ManagedObjectID] = [:]
        var books: [ManagedObjectID] = []
        var tags: [ManagedObjectID] = []
        /// The rows at the beginning of a round, on which its edits are based.
        var bases: [Int: Row] = [:]

        func number(of id: ManagedObjectID) -> Int { discs.first { $0.value == id }?.key ?? -1 }
    }

    private var grouped: Side
    private var single: Side
    private let seed: UInt64
    private var random: SplitMix64
    private var discCount = 0

    init(_ driver: StoreDriver, seed: UInt64) throws {
        grouped = Side(driver: try StoreDriver(driver.fixture))
        single = Side(driver: try StoreDriver(driver.fixture))
        self.seed = seed
        random = SplitMix64(seed: seed)
        for number in 0..<3 {
            try onBoth { side, _ in
                side.books.append(
                    try side.driver.insert("Book", ["isbn": .text(StoredText("\(number)"))]))
                side.tags.append(
                    try side.driver.insert("Tag", ["name": .text(StoredText("\(number)"))]))
            }
        }
    }

    private mutating func onBoth(_ body: (inout Side, Int) throws -> Void) rethrows {
        try body(&grouped, 0)
        try body(&single, 1)
    }

    /// Compares some groups.
    mutating func run(rounds: Int) throws {
        for round in 0..<rounds {
            do {
                try runRound()
            } catch let difference as Difference {
                throw Difference("seed \(seed), group \(round): \(difference.message)")
            }
        }
    }

    private mutating func runRound() throws {
        try onBoth { side, _ in
            side.bases = try side.discs.mapValues { try side.driver.existingRow($0) }
        }
        var drafts: [[ChangeDraft]] = [[], []]
        var inserted: [[Int]] = []
        var deleted: [[Int]] = []
        for _ in 0..<Int.random(in: 1...8, using: &random) {
            var own = [grouped.driver.draft(), single.driver.draft()]
            var (new, gone): ([Int], [Int]) = ([], [])
            try edit(&own, &new, &gone)
            drafts[0].append(own[0])
            drafts[1].append(own[1])
            inserted.append(new)
            deleted.append(gone)
        }
        var last = try grouped.driver.store.snapshot().generation
        let results = try GroupCases.grouping(grouped.driver.store)
            .save(drafts[0].map(\.changes))
        let expected = drafts[1].map { draft in
            Result { () throws(StoreError) in try single.driver.store.save(draft.changes) }
        }
        try checkEqual(results.count, expected.count, "the number of results")
        for (place, (found, wanted)) in zip(results, expected).enumerated() {
            try checkEqual(
                describe(found, in: grouped), describe(wanted, in: single), "save \(place)")
            if case .success(.saved(let receipt)) = found {
                try check(receipt.generation > last, "save \(place) precedes an earlier one")
                last = receipt.generation
            }
            let isSaved = SaveKind(wanted) == .saved
            for disc in isSaved ? deleted[place] : inserted[place] {
                onBoth { side, _ in side.discs[disc] = nil }
            }
        }
        try checkEqual(try contents(of: grouped), try contents(of: single), "the stores")
    }

    /// Adds one to three edits to a save of each store.
    private mutating func edit(
        _ drafts: inout [ChangeDraft], _ inserted: inout [Int], _ deleted: inout [Int]
    ) throws {
        var untouched = Set(grouped.bases.keys)
        for _ in 0..<Int.random(in: 1...3, using: &random) {
            let code = StoredValue.text(
                StoredText("c\(Int.random(in: 0..<12, using: &random))"))
            let rank = StoredValue.integer(Int64.random(in: 0..<100, using: &random))
            let (kind, book, tag) = (
                Int.random(in: 0..<8, using: &random), random.pick([0, 1, 2]),
                random.pick([0, 1, 2])
            )
            let disc = untouched.isEmpty ? nil : random.pick(untouched.sorted())
            if (2...6).contains(kind), let disc { untouched.remove(disc) }
            if kind < 2 || disc == nil {
                discCount += 1
                inserted.append(discCount)
            }
            if kind == 5, let disc { deleted.append(disc) }
            let number = discCount
            try onBoth { side, place in
                guard kind >= 2, let disc, let base = side.bases[disc] else {
                    side.discs[number] = try drafts[place].insert(
                        "Disc", ["code": code, "rank": rank])
                    return
                }
                switch kind {
                case 2: drafts[place].update(base, ["code": code])
                case 3, 4: drafts[place].update(base, ["rank": rank])
                case 5: drafts[place].delete(base)
                case 6: drafts[place].check(base)
                default:
                    drafts[place].changes.edges = []
                    drafts[place].relate("Item.tags", side.books[book], side.tags[tag])
                }
            }
        }
    }

    private func describe(
        _ result: Result<SaveOutcome, StoreError>, in side: Side
    ) -> [String] {
        switch result {
        case .failure(let error): return ["failed: \(error.code.rawValue)"]
        case .success(.saved(let receipt)):
            return [
                "saved", "\(receipt.insertedVersions.count)", "\(receipt.updatedVersions.count)",
            ]
        case .success(.conflicted(let conflicts)):
            return conflicts.map { conflict in
                switch conflict {
                case .version(let conflict):
                    let isStored = conflict.storedRow != nil
                    return "version of \(side.number(of: conflict.id)), stored: \(isStored)"
                case .uniqueness(let conflict):
                    let (own, other) = (conflict.id, conflict.otherID)
                    return "values of \(side.number(of: own)) and \(side.number(of: other))"
                }
            }.sorted()
        }
    }

    /// Returns the objects by number, and the tags of the books.
    private func contents(of side: Side) throws -> [String: PropertyValues] {
        var found: [String: PropertyValues] = [:]
        let stored = try side.driver.contents()
        for (id, record) in stored.records where side.driver.model.entity(of: id)?.name == "Disc" {
            found["disc \(side.number(of: id))"] = record.values
        }
        for (place, book) in side.books.enumerated() {
            let tags = try side.driver.destinations("Item.tags", of: book)
                .compactMap { side.tags.firstIndex(of: $0) }
            found["book \(place)"] = ["tags": .text(StoredText("\(tags)"))]
        }
        return found
    }
}
