import DuramenModel
import DuramenQuery
import DuramenStore
import Synchronization

/// Law 8: open snapshots neither block nor deadlock a save, and saves of many threads are serial.
enum ConcurrencyCases {
    static var all: [ConformanceCase] { readers + writers }

    private static var readers: [ConformanceCase] {
        [
            ConformanceCase(.concurrency, "Saves go on while snapshots of many states are open") {
                driver in
                let library = try Library(driver)
                var held: [(any StoreSnapshot, Int64)] = []
                for number in 0..<12 {
                    try driver.commit {
                        try $0.update(library.disc, ["rank": .integer(Int64(number))])
                    }
                    held.append((try driver.store.snapshot(), Int64(number)))
                }
                for (snapshot, number) in held {
                    try checkEqual(
                        try driver.values(library.disc, in: snapshot)?["rank"], .integer(number),
                        "the value in a held snapshot")
                }
            },
            ConformanceCase(.concurrency, "Saves go on while a cursor is half read") { driver in
                for number in 0..<30 {
                    _ = try driver.insert("Disc", ["rank": .integer(Int64(number))])
                }
                let snapshot = try driver.store.snapshot()
                let cursor = try snapshot.cursor(
                    driver.store.pushdown(for: driver.query("Item")).pushed)
                var count = try cursor.next(maximumRows: 3)?.count ?? 0
                for _ in 0..<5 { _ = try driver.insert("Disc") }
                while let batch = try cursor.next(maximumRows: 4) {
                    count += batch.count
                    _ = try driver.insert("Novel")
                }
                try checkEqual(count, 30, "the rows of the cursor")
            },
            ConformanceCase(.concurrency, "Many snapshots one after the other exhaust nothing") {
                driver in
                let library = try Library(driver)
                for number in 0..<400 {
                    let snapshot = try driver.store.snapshot()
                    try checkEqual(
                        try driver.row(library.book, in: snapshot)?.key, library.book.key, "a row")
                    if number % 20 == 0 {
                        try driver.commit {
                            try $0.update(library.disc, ["rank": .integer(Int64(number))])
                        }
                    }
                }
            },
            ConformanceCase(.concurrency, "Too many states at once are a typed error that passes") {
                driver in
                let id = try driver.insert("Disc", ["rank": .integer(-1)])
                var held: [any StoreSnapshot] = []
                do {
                    for number in 0..<200 {
                        try driver.commit { draft in
                            draft.update(
                                try driver.existingRow(
                                    id, in: held.last ?? driver.store.snapshot()),
                                ["rank": .integer(Int64(number))])
                        }
                        held.append(try driver.store.snapshot())
                    }
                } catch let error as StoreError {
                    try checkEqual(
                        error.code.rawValue, StoreError.Code.readersExhausted.rawValue, "the error")
                }
                try check(held.count >= 12, "only \(held.count) states can be held at once")
                held = []
                _ = try driver.contents()
                _ = try driver.insert("Disc")
            },
            ConformanceCase(.concurrency, "One snapshot is read by many threads at once") {
                driver in
                var draft = driver.draft()
                var ids: [ManagedObjectID] = []
                for number in 0..<200 {
                    ids.append(try draft.insert("Disc", ["rank": .integer(Int64(number))]))
                }
                try driver.commit(draft)
                let snapshot = try driver.store.snapshot()
                let all = ids
                try Threads.run(4) { thread in
                    for round in 0..<100 {
                        let index = (round * 13 + thread * 50) % 200
                        let rows = try snapshot.rows(for: [all[index], all[(index + 1) % 200]])
                        let ranks = rows.map {
                            RowCoding.values(of: $0, in: driver.model, store: driver.store.handle)[
                                "rank"]
                        }
                        try checkEqual(
                            ranks, [.integer(Int64(index)), .integer(Int64((index + 1) % 200))],
                            "the ranks")
                        if round % 25 == 0 {
                            let query = driver.store.pushdown(for: driver.query("Disc")).pushed
                            try checkEqual(try snapshot.count(query), 200, "the count")
                        }
                    }
                }
            },
        ]
    }

    private static var writers: [ConformanceCase] {
        [
            ConformanceCase(.concurrency, "Saves of several threads all arrive") { driver in
                try Threads.run(4) { thread in
                    for number in 0..<25 {
                        var draft = driver.draft()
                        let tag = try draft.insert(
                            "Tag", ["name": .text(StoredText("\(thread)-\(number)"))])
                        let disc = try draft.insert("Disc", ["rank": .integer(Int64(number))])
                        draft.relate("Item.tags", disc, tag)
                        try driver.commit(draft)
                    }
                }
                let contents = try driver.contents()
                try checkEqual(contents.records.count, 200, "the number of rows")
                let pairs = contents.destinations[driver.relationship("Tag.items").id] ?? [:]
                try checkEqual(pairs.count, 100, "the number of tags with an item")
            },
            ConformanceCase(.concurrency, "Of updates from one base one wins, and none is lost") {
                driver in
                let id = try driver.insert("Disc", ["rank": .integer(0)])
                try Threads.run(4) { _ in
                    for _ in 0..<20 { try increment(id, driver) }
                }
                try checkEqual(
                    try driver.values(id)?["rank"], .integer(80), "the sum of all increments")
            },
            ConformanceCase(.concurrency, "Of saves with one unique value one wins") { driver in
                let winners = Counter()
                try Threads.run(4) { _ in
                    for number in 0..<15 {
                        var draft = driver.draft()
                        try draft.insert("Tag", ["name": .text(StoredText("name \(number)"))])
                        if case .saved = try driver.store.save(draft.changes) { winners.add() }
                    }
                }
                try checkEqual(winners.value, 15, "the number of saves that won")
                try checkEqual(try driver.contents().records.count, 15, "the number of rows")
            },
            ConformanceCase(
                .concurrency, "Snapshots show whole saves only, whoever saves meanwhile"
            ) {
                driver in
                var draft = driver.draft()
                let left = try draft.insert("Shelf", ["height": .double(500)])
                let right = try draft.insert("Shelf", ["height": .double(500)])
                try driver.commit(draft)
                let isDone = Flag()
                try Threads.run(3) { thread in
                    if thread == 0 {
                        defer { isDone.raise() }
                        for number in 0..<60 {
                            try driver.commit {
                                try $0.update(left, ["height": .double(500 - Double(number))])
                                try $0.update(right, ["height": .double(500 + Double(number))])
                            }
                        }
                        return
                    }
                    repeat {
                        let snapshot = try driver.store.snapshot()
                        let heights = try [left, right].map {
                            try driver.existingRow($0, in: snapshot).value(
                                heightSlot(driver), .double)
                        }
                        guard case .double(let a) = heights[0], case .double(let b) = heights[1]
                        else {
                            throw Difference("a height is missing")
                        }
                        try checkEqual(a + b, 1000, "the sum of two heights")
                    } while !isDone.isRaised
                }
            },
        ]
    }

    private static func heightSlot(_ driver: StoreDriver) -> Int {
        guard case .attribute(let attribute) = driver.entity("Shelf").property(named: "height")
        else {
            preconditionFailure("The conformance model has lost 'Shelf.height'.")
        }
        return attribute.slot
    }

    /// Increments a rank, and retries after conflicts with other threads.
    private static func increment(_ id: ManagedObjectID, _ driver: StoreDriver) throws {
        for _ in 0..<100_000 {
            let row = try driver.existingRow(id)
            let values = RowCoding.values(of: row, in: driver.model, store: driver.store.handle)
            guard case .integer(let rank) = values["rank"] else { throw Difference("no rank") }
            var draft = driver.draft()
            draft.update(row, ["rank": .integer(rank + 1)])
            if case .saved = try driver.store.save(draft.changes) { return }
        }
        throw Difference("an increment never got through")
    }
}

/// A flag that threads share.
final class Flag: Sendable {
    private let raised = Atomic<Bool>(false)

    var isRaised: Bool { raised.load(ordering: .acquiring) }

    func raise() { raised.store(true, ordering: .releasing) }
}

/// A number that threads share.
final class Counter: Sendable {
    private let number = Atomic<Int>(0)

    var value: Int { number.load(ordering: .acquiring) }

    func add() { number.add(1, ordering: .acquiringAndReleasing) }
}
