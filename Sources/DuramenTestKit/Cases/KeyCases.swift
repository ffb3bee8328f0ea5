import DuramenModel
import DuramenStore

/// Law 4: keys are allocated before a save, once, and never change.
enum KeyCases {
    static var all: [ConformanceCase] { allocation + use }

    private static var allocation: [ConformanceCase] {
        [
            ConformanceCase(.keys, "Keys are positive, and no key is handed out twice") { driver in
                var seen: Set<Int64> = []
                for count in [1, 2, 1, 300, 1, 7, 256, 1] {
                    for key in try driver.store.allocateKeys(count, for: driver.entity("Tag").id) {
                        try check(key > 0, "key \(key) is not positive")
                        try check(seen.insert(key).inserted, "key \(key) came twice")
                    }
                }
            },
            ConformanceCase(.keys, "As many keys are handed out as asked for, none and many") {
                driver in
                for count in [0, 1, 255, 256, 257, 10_000, 1] {
                    let keys = try driver.store.allocateKeys(count, for: driver.entity("Disc").id)
                    try checkEqual(keys.count, count, "the number of keys")
                }
            },
            ConformanceCase(.keys, "All entities of a hierarchy share one space of keys") {
                driver in
                var seen: Set<Int64> = []
                for round in 0..<30 {
                    let name = ["Item", "Book", "Novel", "Disc"][round % 4]
                    for key in try driver.store.allocateKeys(3, for: driver.entity(name).id) {
                        try check(
                            seen.insert(key).inserted, "key \(key) came twice in one hierarchy")
                    }
                }
            },
            ConformanceCase(.keys, "Threads that allocate at once get different keys") { driver in
                let ranges = SharedList<Range<Int64>>()
                let entities = ["Book", "Novel", "Disc"].map { driver.entity($0).id }
                try Threads.run(4) { thread in
                    for round in 0..<100 {
                        let entity = entities[(thread + round) % 3]
                        ranges.append(
                            try driver.store.allocateKeys(1 + round % 5, for: entity))
                    }
                }
                let keys = ranges.all.flatMap { Array($0) }
                try checkEqual(Set(keys).count, keys.count, "the number of different keys")
            },
            ConformanceCase(.keys, "Keys of a conflicted save are not handed out again") { driver in
                let library = try Library(driver)
                var used: Set<Int64> = []
                for _ in 0..<5 {
                    _ = try driver.conflicts { draft in
                        used.insert(try draft.insert("Tag", ["name": .text("red")]).key)
                    }
                    let key = try driver.store.allocateKeys(
                        1, for: library.redTag.entity(in: driver))
                    try check(!used.contains(key.lowerBound), "a lost key came again")
                }
            },
            ConformanceCase(.keys, "Keys of deleted rows are not handed out again") { driver in
                var used: Set<Int64> = []
                for _ in 0..<10 {
                    let id = try driver.insert("Disc")
                    try check(used.insert(id.key).inserted, "the key of a deleted row came again")
                    try driver.commit { try $0.delete(id) }
                }
            },
            ConformanceCase(
                .keys, "Keys handed out before closing are not handed out after", requires: .durable
            ) { driver in
                var driver = driver
                var used: Set<Int64> = []
                for _ in 0..<4 {
                    let id = try driver.insert("Tag")
                    try check(
                        used.insert(id.key).inserted, "key \(id.key) of a saved row came again")
                    for key in try driver.store.allocateKeys(20, for: driver.entity("Tag").id) {
                        try check(used.insert(key).inserted, "key \(key) came again after opening")
                    }
                    driver = try driver.reopened()
                }
            },
        ]
    }

    private static var use: [ConformanceCase] {
        [
            ConformanceCase(.keys, "Rows keep the keys they were inserted under, gaps and all") {
                driver in
                let keys = try driver.store.allocateKeys(90, for: driver.entity("Item").id)
                let chosen = keys.filter { $0 % 3 == 0 }.reversed()
                var draft = driver.draft()
                for key in chosen {
                    let name = ["Book", "Novel", "Disc"][Int(key / 3 % 3)]
                    try draft.insert(name, ["rank": .integer(key)], key: key)
                }
                try driver.commit(draft)
                let records = try driver.contents().records
                try checkEqual(
                    records.keys.map(\.key).sorted(), chosen.sorted(), "the keys of the rows")
                for (id, record) in records {
                    try checkEqual(
                        record.values["rank"], .integer(id.key), "the row of key \(id.key)")
                    try checkEqual(
                        id.entityName, ["Book", "Novel", "Disc"][Int(id.key / 3 % 3)], "its entity")
                }
            },
            ConformanceCase(.keys, "A key that a row was brought in under is not handed out again")
            {
                driver in
                let tag = driver.entity("Tag").id
                for distance: Int64 in [1, 3, 100, 300, 5_000] {
                    // A store that leases keys in blocks has one now.
                    let last = try driver.store.allocateKeys(1, for: tag).lowerBound
                    var draft = driver.draft()
                    try draft.insert("Tag", key: last + distance)
                    try driver.commit(draft)
                    let keys = try driver.store.allocateKeys(Int(distance) + 1, for: tag)
                    try check(
                        !keys.contains(last + distance), "key \(last + distance) came again")
                }
            },
            ConformanceCase(.keys, "Rows under temporary IDs are refused and nothing is written") {
                driver in
                let before = try driver.contents()
                var draft = driver.draft()
                try draft.insert("Disc", ["label": .text("permanent")])
                try draft.insert("Disc", ["label": .text("temporary")], key: -5)
                try checkThrows(.invalidRequest, "a row with a temporary ID") {
                    try driver.store.save(draft.changes)
                }
                try checkSame(try driver.contents(), before, "the store after the refusal")
            },
            ConformanceCase(.keys, "References by temporary IDs are refused and nothing is written")
            {
                driver in
                let library = try Library(driver)
                let before = try driver.contents()
                let temporary = ManagedObjectID.temporary(entity: driver.entity("Shelf").handle)
                var draft = driver.draft()
                try draft.update(library.disc, ["shelf": .objectID(temporary)])
                try checkThrows(.invalidRequest, "a reference by a temporary ID") {
                    try driver.store.save(draft.changes)
                }
                var inserts = driver.draft()
                try inserts.insert("Disc", ["shelf": .objectID(temporary)])
                try checkThrows(.invalidRequest, "a new row that refers to a temporary ID") {
                    try driver.store.save(inserts.changes)
                }
                let tag = ManagedObjectID.temporary(entity: driver.entity("Tag").handle)
                var pairs = driver.draft()
                pairs.relate("Item.tags", library.disc, tag)
                try checkThrows(.invalidRequest, "a pair with a temporary ID") {
                    try driver.store.save(pairs.changes)
                }
                try checkSame(try driver.contents(), before, "the store after the refusals")
            },
            ConformanceCase(.keys, "Keys of different hierarchies do not get into each other's way")
            {
                driver in
                let names = ["Tag", "Shelf", "Disc", "Sample"]
                let ranges = try names.map {
                    try driver.store.allocateKeys(100, for: driver.entity($0).id)
                }
                // A store may number all hierarchies together; then they have no common key.
                let first = ranges.map(\.lowerBound).max() ?? 0
                guard ranges.allSatisfy({ $0.contains(first) }) else { return }
                var draft = driver.draft()
                for name in names { try draft.insert(name, key: first) }
                try driver.commit(draft)
                try checkEqual(try driver.contents().records.count, 4, "rows under one number")
            },
        ]
    }
}

extension ManagedObjectID {
    /// The ID's entity in the driver's model.
    func entity(in driver: StoreDriver) -> EntityID { driver.entity(entityName).id }
}
