import DuramenModel
import DuramenQuery
import DuramenStore

/// Law 1: a snapshot never sees a later save.
enum SnapshotCases {
    static var all: [ConformanceCase] { stability + reading }

    private static var stability: [ConformanceCase] {
        [
            stable("An open snapshot does not show a later insert") { driver, _ in
                _ = try driver.insert("Disc", ["label": .text("later")])
            },
            stable("An open snapshot does not show a later update") { driver, library in
                try driver.commit { try $0.update(library.book, ["label": .text("later")]) }
            },
            stable("An open snapshot does not show a later delete") { driver, library in
                try driver.commit { try $0.delete(library.book) }
            },
            stable("An open snapshot does not show later many-to-many pairs") { driver, library in
                try driver.commit {
                    $0.relate("Item.tags", library.disc, library.redTag)
                    $0.unrelate("Item.tags", library.book, library.redTag)
                }
            },
            stable("An open snapshot's to-manys do not follow a later to-one") { driver, library in
                try driver.commit {
                    try $0.update(library.book, ["shelf": .objectID(library.lowShelf)])
                }
            },
            stable("An open snapshot outlives many later saves") { driver, library in
                for number in 0..<30 {
                    try driver.commit {
                        try $0.update(library.disc, ["rank": .integer(Int64(number))])
                        try $0.insert("Novel", ["rank": .integer(Int64(number))])
                    }
                }
            },
            ConformanceCase(.snapshots, "A cursor goes on in its state after a later save") {
                driver in
                for number in 0..<40 {
                    _ = try driver.insert("Disc", ["rank": .integer(Int64(number))])
                }
                let snapshot = try driver.store.snapshot()
                let expected = try driver.contents(in: snapshot).records.keys.sorted()
                let query = driver.store.pushdown(for: driver.query("Item")).pushed
                let cursor = try snapshot.cursor(query)
                var found = try cursor.next(maximumRows: 5)?.map(driver.id(of:)) ?? []
                try driver.commit { draft in
                    for id in expected.suffix(20) { try draft.delete(id) }
                    try draft.insert("Disc")
                }
                while let batch = try cursor.next(maximumRows: 5) {
                    try check(
                        !batch.isEmpty && batch.count <= 5, "a batch has \(batch.count) rows of 5")
                    found += batch.map(driver.id(of:))
                }
                try checkEqual(found.sorted(), expected, "the rows of the cursor")
            },
            ConformanceCase(.snapshots, "A new snapshot shows the newest save") { driver in
                let id = try driver.insert("Disc", ["label": .text("one")])
                try checkEqual(try driver.values(id)?["label"], .text("one"), "the inserted label")
                try driver.commit { try $0.update(id, ["label": .text("two")]) }
                try checkEqual(try driver.values(id)?["label"], .text("two"), "the updated label")
                try driver.commit { try $0.delete(id) }
                try checkEqual(try driver.values(id), nil, "the deleted row")
            },
            ConformanceCase(
                .snapshots, "Generations are equal for equal states and grow with saves"
            ) {
                driver in
                let first = try driver.store.snapshot().generation
                try checkEqual(try driver.store.snapshot().generation, first, "the same state")
                let receipt = try driver.commit { try $0.insert("Disc") }
                let second = try driver.store.snapshot().generation
                try check(first < second, "a save did not raise the generation")
                try checkEqual(receipt.generation, second, "the receipt's generation")
            },
            ConformanceCase(.snapshots, "A snapshot before the last save is not the newest") {
                driver in
                let library = try Library(driver)
                // A snapshot of the newest state need not report that it is.
                let before = try driver.store.snapshot()
                let unread = try driver.store.snapshot()
                _ = try driver.contents(in: before)
                try driver.commit { try $0.update(library.book, ["label": .text("later")]) }
                for snapshot in [before, unread] {
                    try check(!snapshot.isNewest, "a snapshot with a later save is the newest")
                }
                let after = try driver.store.snapshot()
                try driver.commit { try $0.delete(library.book) }
                try check(!after.isNewest, "a snapshot with a later delete is the newest")
            },
        ]
    }

    private static var reading: [ConformanceCase] {
        [
            ConformanceCase(.snapshots, "Rows come in the order of the request, repeated ones too")
            {
                driver in
                let library = try Library(driver)
                let ids = [
                    library.disc, library.redTag, library.book, library.disc, library.novel,
                    library.highShelf, library.book,
                ]
                let rows = try driver.store.snapshot().rows(for: ids)
                try checkEqual(rows.map(driver.id(of:)), ids, "the order of the rows")
            },
            ConformanceCase(.snapshots, "A thousand rows come in the order of the request") {
                driver in
                var draft = driver.draft()
                var ids: [ManagedObjectID] = []
                for number in 0..<1_100 {
                    ids.append(
                        try draft.insert(
                            number % 3 == 0 ? "Novel" : "Disc", ["rank": .integer(Int64(number))]))
                }
                try driver.commit(draft)
                let shuffled = ids.indices.map { ids[$0 * 7 % ids.count] }
                let rows = try driver.store.snapshot().rows(for: shuffled)
                try checkEqual(rows.map(driver.id(of:)), shuffled, "the order of the rows")
            },
            ConformanceCase(.snapshots, "Unknown IDs are left out of the rows") { driver in
                let library = try Library(driver)
                let store = driver.store.handle
                let unknown = ManagedObjectID(
                    store: store, entity: driver.entity("Disc").handle, key: 987_654_321)
                let otherEntity = ManagedObjectID(
                    store: store, entity: driver.entity("Novel").handle, key: library.disc.key)
                let temporary = ManagedObjectID.temporary(entity: driver.entity("Disc").handle)
                let otherStore = ManagedObjectID(
                    store: .none, entity: driver.entity("Disc").handle, key: library.disc.key)
                let ids = [unknown, library.disc, otherEntity, temporary, otherStore, library.book]
                let rows = try driver.store.snapshot().rows(for: ids)
                try checkEqual(
                    rows.map(driver.id(of:)), [library.disc, library.book], "the known rows")
                try checkEqual(
                    try driver.store.snapshot().rows(for: []).count, 0, "rows for no IDs")
            },
            ConformanceCase(
                .snapshots, "Destinations come as one list per source, each in ascending order"
            ) { driver in
                let library = try Library(driver)
                try driver.commit {
                    for source in [library.novel, library.disc, library.book] {
                        $0.relate("Item.tags", source, library.blueTag)
                    }
                    $0.relate("Tag.items", library.redTag, library.disc)
                }
                let snapshot = try driver.store.snapshot()
                let unknown = ManagedObjectID(
                    store: driver.store.handle, entity: driver.entity("Tag").handle,
                    key: 987_654_321)
                let items = driver.relationship("Tag.items").id
                let lists = try snapshot.destinations(
                    of: items, from: [library.blueTag, unknown, library.redTag, library.blueTag])
                let all = [library.book, library.novel, library.disc].sorted()
                try checkEqual(
                    lists, [all, [], [library.book, library.disc].sorted(), all], "the lists")
                let tags = try driver.destinations("Item.tags", of: library.book)
                try checkEqual(tags, [library.redTag, library.blueTag].sorted(), "the other side")
            },
            ConformanceCase(
                .snapshots,
                "Destinations whose row is missing are left out, of either kind of to-many"
            ) { driver in
                let library = try Library(driver)
                let shelf = library.highShelf
                try checkEqual(
                    try driver.destinations("Shelf.items", of: shelf),
                    [library.book, library.novel].sorted(), "the items before")
                try driver.commit { try $0.delete(library.book) }
                try checkEqual(
                    try driver.destinations("Shelf.items", of: shelf), [library.novel],
                    "the items after a delete")
                try checkEqual(
                    try driver.destinations("Tag.items", of: library.redTag), [],
                    "the tagged items after a delete")
                try driver.commit { try $0.delete(shelf) }
                try checkEqual(
                    try driver.destinations("Shelf.items", of: shelf), [],
                    "the items of a missing shelf")
                try checkEqual(
                    try driver.values(library.novel)?["shelf"], .objectID(shelf),
                    "a reference to a missing row")
            },
        ]
    }

    /// Checks that a snapshot shows the same data before and after some later saves.
    private static func stable(
        _ name: String, _ later: @escaping @Sendable (StoreDriver, Library) throws -> Void
    ) -> ConformanceCase {
        ConformanceCase(.snapshots, name) { driver in
            let library = try Library(driver)
            let unread = try driver.store.snapshot()
            let snapshot = try driver.store.snapshot()
            let before = try driver.contents(in: snapshot)
            let query = driver.store.pushdown(for: driver.query("Item")).pushed
            let count = try snapshot.count(query)
            let ids = try snapshot.objectIDs(query)
            let generation = snapshot.generation
            try later(driver, library)
            try checkSame(try driver.contents(in: snapshot), before, "the open snapshot")
            try checkSame(try driver.contents(in: unread), before, "a snapshot not read before")
            try checkEqual(try snapshot.count(query), count, "the count of the open snapshot")
            try checkEqual(try snapshot.objectIDs(query), ids, "the IDs of the open snapshot")
            try checkEqual(snapshot.generation, generation, "the generation of the open snapshot")
            if try driver.contents() == before {
                throw Difference("the later save changed nothing")
            }
        }
    }
}
