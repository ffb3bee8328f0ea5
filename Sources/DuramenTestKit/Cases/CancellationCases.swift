import DuramenModel
import DuramenQuery
import DuramenStore

/// Law 9: cancellation is honoured before the commit, never after.
enum CancellationCases {
    static var all: [ConformanceCase] { saves + queries }

    private static var saves: [ConformanceCase] {
        [
            ConformanceCase(.cancellation, "A cancelled save fails and changes nothing") { driver in
                let library = try Library(driver)
                let before = try driver.contents()
                let metadata = try driver.store.metadata()
                var draft = try edits(driver, library)
                draft.changes.cancellation = raisedFlag()
                try checkThrows(.cancelled, "a cancelled save") {
                    try driver.store.save(draft.changes)
                }
                try checkSame(try driver.contents(), before, "the store after a cancelled save")
                try checkEqual(try driver.store.metadata(), metadata, "the metadata after it")
            },
            ConformanceCase(.cancellation, "A cancelled save can be made again") { driver in
                let library = try Library(driver)
                var draft = try edits(driver, library)
                for _ in 0..<3 {
                    draft.changes.cancellation = raisedFlag()
                    try checkThrows(.cancelled, "a cancelled save") {
                        try driver.store.save(draft.changes)
                    }
                }
                draft.changes.cancellation = CancellationFlag()
                try driver.commit(draft)
                try checkEqual(
                    try driver.values(library.novel)?["label"], .text("edited"), "the edited row")
            },
            ConformanceCase(.cancellation, "A flag that is not raised does no harm") { driver in
                let library = try Library(driver)
                var draft = try edits(driver, library)
                draft.changes.cancellation = CancellationFlag()
                try driver.commit(draft)
                try checkEqual(try driver.values(library.disc), nil, "the deleted row")
            },
            ConformanceCase(.cancellation, "A flag raised after the save takes nothing back") {
                driver in
                let library = try Library(driver)
                var draft = try edits(driver, library)
                let flag = CancellationFlag()
                draft.changes.cancellation = flag
                try driver.commit(draft)
                let after = try driver.contents()
                flag.cancel()
                try checkSame(try driver.contents(), after, "the store after a late flag")
                _ = try driver.insert("Disc")
                try checkEqual(
                    try driver.values(library.novel)?["label"], .text("edited"), "the edited row")
            },
            ConformanceCase(.cancellation, "A cancelled save never reports success or half a save")
            {
                driver in
                for round in 0..<20 {
                    let before = try driver.contents().records.count
                    var draft = driver.draft()
                    for number in 0..<60 {
                        try draft.insert("Disc", ["rank": .integer(Int64(number))])
                    }
                    let flag = CancellationFlag()
                    draft.changes.cancellation = flag
                    let changes = draft.changes
                    let saved = Counter()
                    try Threads.run(2) { thread in
                        if thread == 0 {
                            // The length of the work varies, so that the flag is raised at any
                            // moment.
                            for _ in 0..<round { _ = try driver.store.snapshot().generation }
                            flag.cancel()
                            return
                        }
                        do {
                            if case .saved = try driver.store.save(changes) { saved.add() }
                        } catch let error as StoreError {
                            try checkEqual(
                                error.code.rawValue, StoreError.Code.cancelled.rawValue, "the error"
                            )
                        }
                    }
                    let added = try driver.contents().records.count - before
                    try checkEqual(added, saved.value * 60, "the rows of round \(round)")
                }
            },
        ]
    }

    private static var queries: [ConformanceCase] {
        [
            ConformanceCase(.cancellation, "A cancelled query fails") { driver in
                _ = try Library(driver)
                let snapshot = try driver.store.snapshot()
                var query = driver.store.pushdown(for: driver.query("Item")).pushed
                query.cancellation = raisedFlag()
                let cancelled = query
                try checkThrows(.cancelled, "the rows of a cancelled query") {
                    try snapshot.cursor(cancelled).next(maximumRows: 10)
                }
                try checkThrows(.cancelled, "the IDs of a cancelled query") {
                    try snapshot.objectIDs(cancelled)
                }
                try checkThrows(.cancelled, "the count of a cancelled query") {
                    try snapshot.count(cancelled)
                }
            },
            ConformanceCase(.cancellation, "A query is cancelled between two batches") { driver in
                var draft = driver.draft()
                for _ in 0..<50 { try draft.insert("Disc") }
                try driver.commit(draft)
                let flag = CancellationFlag()
                var query = driver.store.pushdown(for: driver.query("Disc")).pushed
                query.cancellation = flag
                let snapshot = try driver.store.snapshot()
                let cursor = try snapshot.cursor(query)
                try checkEqual(try cursor.next(maximumRows: 10)?.count, 10, "the first batch")
                flag.cancel()
                try checkThrows(.cancelled, "the second batch") { try cursor.next(maximumRows: 10) }
                query.cancellation = CancellationFlag()
                try checkEqual(try snapshot.count(query), 50, "the same snapshot, asked again")
            },
        ]
    }

    private static func raisedFlag() -> CancellationFlag {
        let flag = CancellationFlag()
        flag.cancel()
        return flag
    }

    private static func edits(_ driver: StoreDriver, _ library: Library) throws -> ChangeDraft {
        var draft = driver.draft()
        let tag = try draft.insert("Tag", ["name": .text("green")])
        try draft.update(library.novel, ["label": .text("edited")])
        try draft.delete(library.disc)
        draft.relate("Item.tags", library.novel, tag)
        draft.changes.metadata["edited"] = .boolean(true)
        return draft
    }
}
