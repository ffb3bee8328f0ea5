import DuramenModel
import DuramenStore

/// Law 5: the edits of one change set are simultaneous; uniqueness is checked in the final state.
enum SimultaneityCases {
    static var all: [ConformanceCase] {
        moves + nulls + duplicates + LongUniquenessCases.all + [CompositeCases.uniqueness]
            + ReferenceUniquenessCases.all + order
    }

    private static var moves: [ConformanceCase] {
        [
            rotation("Two rows swap their unique values", count: 2, entities: ["Disc"]),
            rotation("Three rows pass their unique values round", count: 3, entities: ["Disc"]),
            rotation(
                "Rows of different sub-entities pass their unique values round", count: 4,
                entities: ["Disc", "Novel", "Book"]),
            ConformanceCase(.simultaneity, "Two rows swap compound unique values") { driver in
                let first = try driver.insert("Book", ["isbn": .text("1"), "edition": .integer(1)])
                let second = try driver.insert(
                    "Novel", ["isbn": .text("1"), "edition": .integer(2)])
                try driver.commit {
                    try $0.update(first, ["edition": .integer(2)])
                    try $0.update(second, ["edition": .integer(1)])
                }
                try checkEqual(try driver.values(first)?["edition"], .integer(2), "the first")
                try checkEqual(try driver.values(second)?["edition"], .integer(1), "the second")
            },
            ConformanceCase(.simultaneity, "A new row takes the unique value of a deleted one") {
                driver in
                let old = try driver.insert("Tag", ["name": .text("red")])
                var draft = driver.draft()
                let new = try draft.insert("Tag", ["name": .text("red")])
                try draft.delete(old)
                try driver.commit(draft)
                try checkEqual(try driver.values(new)?["name"], .text("red"), "the new row")
                try checkEqual(try driver.values(old), nil, "the old row")
            },
            ConformanceCase(.simultaneity, "A new row takes the unique value that another gives up")
            {
                driver in
                let library = try Library(driver)
                var draft = driver.draft()
                let new = try draft.insert("Disc", ["code": .text("b1")])
                try draft.update(library.disc, ["code": .text("n1")])
                try draft.update(library.novel, ["code": .text("d1")])
                try draft.update(library.book, ["code": .null])
                try driver.commit(draft)
                let expected: [(ManagedObjectID, StoredValue?)] = [
                    (new, .text("b1")), (library.disc, .text("n1")), (library.novel, .text("d1")),
                    (library.book, nil),
                ]
                for (id, code) in expected {
                    try checkEqual(
                        try driver.values(id)?["code"], code, "the code of \(id.entityName)")
                }
            },
        ]
    }

    private static var nulls: [ConformanceCase] {
        [
            ConformanceCase(.simultaneity, "Null conflicts with nothing") { driver in
                var draft = driver.draft()
                for _ in 0..<3 { try draft.insert("Disc", ["label": .text("no code")]) }
                for _ in 0..<2 { try draft.insert("Tag") }
                try driver.commit(draft)
                let library = try Library(driver)
                try driver.commit {
                    try $0.update(library.disc, ["code": .null])
                    try $0.update(library.book, ["code": .null])
                }
            },
            ConformanceCase(
                .simultaneity, "A compound value with a null part conflicts with nothing"
            ) {
                driver in
                var draft = driver.draft()
                for _ in 0..<2 {
                    try draft.insert("Book", ["isbn": .text("1")])
                    try draft.insert("Novel", ["edition": .integer(1)])
                }
                try driver.commit(draft)
                let whole = try driver.insert("Book", ["isbn": .text("1"), "edition": .integer(1)])
                _ = try driver.conflicts {
                    try $0.insert("Book", ["isbn": .text("1"), "edition": .integer(1)])
                }
                try driver.commit { try $0.update(whole, ["isbn": .null]) }
                _ = try driver.insert("Book", ["isbn": .text("1"), "edition": .integer(1)])
            },
            ConformanceCase(.simultaneity, "Compound values conflict only when all parts are equal")
            {
                driver in
                for (isbn, edition) in [("1", 1), ("1", 2), ("2", 1), ("2", 2)] {
                    _ = try driver.insert(
                        "Book",
                        ["isbn": .text(StoredText(isbn)), "edition": .integer(Int64(edition))])
                }
            },
        ]
    }

    private static var duplicates: [ConformanceCase] {
        [
            ConformanceCase(.simultaneity, "A constraint covers all sub-entities of its entity") {
                driver in
                _ = try driver.insert("Disc", ["code": .text("same")])
                for name in ["Book", "Novel", "Disc"] {
                    let conflicts = try driver.conflicts {
                        try $0.insert(name, ["code": .text("same")])
                    }
                    try checkEqual(conflicts.count, 1, "the number of conflicts of \(name)")
                }
                _ = try driver.insert("Book", ["isbn": .text("1"), "edition": .integer(1)])
                _ = try driver.conflicts {
                    try $0.insert("Novel", ["isbn": .text("1"), "edition": .integer(1)])
                }
            },
            ConformanceCase(
                .simultaneity, "Two new rows of one unique value conflict with each other"
            ) {
                driver in
                var ids: Set<ManagedObjectID> = []
                let conflicts = try driver.conflicts { draft in
                    ids.insert(try draft.insert("Disc", ["code": .text("twin")]))
                    ids.insert(try draft.insert("Novel", ["code": .text("twin")]))
                    try draft.insert("Book", ["code": .text("single")])
                }
                guard conflicts.count <= 2, case .uniqueness(let conflict)? = conflicts.first else {
                    throw Difference("expected a uniqueness conflict, found \(conflicts.count)")
                }
                try checkEqual(Set([conflict.id, conflict.otherID]), ids, "the two objects")
                try check(conflict.storedRow == nil, "a new row came as a stored one")
                try checkEqual(try driver.contents().records.count, 0, "the rows written")
            },
            ConformanceCase(
                .simultaneity,
                "Each row with a taken unique value is told once, with the stored row or the first new one"
            ) { driver in
                for holder in [nil, try driver.insert("Disc", ["code": .text("held")])] {
                    var ids: [ManagedObjectID] = []
                    let code = StoredValue.text(holder == nil ? "free" : "held")
                    let conflicts = try driver.conflicts { draft in
                        for name in ["Novel", "Disc", "Book"] {
                            ids.append(try draft.insert(name, ["code": code]))
                        }
                    }
                    let told = try conflicts.map { conflict in
                        guard case .uniqueness(let conflict) = conflict else {
                            throw Difference("a conflict of another kind")
                        }
                        return [conflict.id, conflict.otherID]
                    }
                    let losers = holder == nil ? Array(ids.dropFirst()) : ids
                    try checkEqual(
                        told, losers.map { [$0, holder ?? ids[0]] }, "who conflicts with whom")
                }
            },
            ConformanceCase(.simultaneity, "A changed row conflicts with a row that stays as it is")
            {
                driver in
                let library = try Library(driver)
                let conflicts = try driver.conflicts {
                    try $0.update(library.book, ["code": .text("n1")])
                    try $0.update(library.disc, ["code": .text("b1")])
                }
                guard conflicts.count == 1, case .uniqueness(let conflict) = conflicts[0] else {
                    throw Difference("expected one uniqueness conflict, found \(conflicts.count)")
                }
                try checkEqual(conflict.id, library.book, "the object of the change set")
                try checkEqual(conflict.otherID, library.novel, "the other object")
                try checkEqual(
                    conflict.storedRow.map(driver.id(of:)), library.novel, "the stored row")
            },
            ConformanceCase(
                .simultaneity, "Texts that differ in any byte are different unique values"
            ) {
                driver in
                var draft = driver.draft()
                for text in SampleValues.texts { try draft.insert("Tag", ["name": .text(text)]) }
                try driver.commit(draft)
                for text in SampleValues.texts {
                    let conflicts = try driver.conflicts {
                        try $0.insert("Tag", ["name": .text(text)])
                    }
                    try checkEqual(conflicts.count, 1, "the number of conflicts of one text")
                }
            },
        ]
    }

    private static var order: [ConformanceCase] {
        [
            ConformanceCase(.simultaneity, "References may come before what they refer to") {
                driver in
                let entity = driver.entity("Novel")
                let keys = try driver.store.allocateKeys(3, for: entity.id)
                let ids = keys.map {
                    ManagedObjectID(store: driver.store.handle, entity: entity.handle, key: $0)
                }
                var draft = driver.draft()
                for (index, id) in ids.enumerated() {
                    try draft.insert(
                        "Novel", ["parent": .objectID(ids[(index + 1) % 3])], key: id.key)
                }
                let shelfKey = try driver.store.allocateKeys(1, for: driver.entity("Shelf").id)
                    .lowerBound
                let shelf = ManagedObjectID(
                    store: driver.store.handle, entity: driver.entity("Shelf").handle, key: shelfKey
                )
                try draft.insert("Disc", ["shelf": .objectID(shelf)])
                try draft.insert("Shelf", key: shelfKey)
                try driver.commit(draft)
                for (index, id) in ids.enumerated() {
                    try checkEqual(
                        try driver.destinations("Item.parts", of: ids[(index + 1) % 3]), [id],
                        "the parts in the ring")
                }
            },
            ConformanceCase(.simultaneity, "Pairs may come before the rows that they join") {
                driver in
                let old = try driver.insert("Tag", ["name": .text("old")])
                var draft = driver.draft()
                let keys = try driver.store.allocateKeys(1, for: driver.entity("Disc").id)
                let disc = ManagedObjectID(
                    store: driver.store.handle, entity: driver.entity("Disc").handle,
                    key: keys.lowerBound)
                draft.relate("Item.tags", disc, old)
                let tag = try draft.insert("Tag", ["name": .text("new")])
                draft.relate("Tag.items", tag, disc)
                try draft.insert("Disc", key: disc.key)
                try driver.commit(draft)
                try checkEqual(
                    try driver.destinations("Item.tags", of: disc), [old, tag].sorted(), "the tags")
            },
            ConformanceCase(.simultaneity, "A deleted object's pairs go, also those added at once")
            {
                driver in
                let library = try Library(driver)
                var draft = driver.draft()
                try draft.delete(library.redTag)
                draft.relate("Item.tags", library.disc, library.redTag)
                try driver.commit(draft)
                _ = try driver.insert("Tag", ["name": .text("again")], key: library.redTag.key)
                try checkEqual(
                    try driver.destinations("Tag.items", of: library.redTag), [],
                    "the items of a tag made under an old key")
                try checkEqual(
                    try driver.destinations("Item.tags", of: library.book), [], "the book's tags")
                try checkEqual(
                    try driver.destinations("Tag.relatedBy", of: library.blueTag), [],
                    "what is related to the blue tag")
            },
        ]
    }

    /// Rows with unique values, each of which gets the value of the next row.
    private static func rotation(
        _ name: String, count: Int, entities: [String]
    ) -> ConformanceCase {
        ConformanceCase(.simultaneity, name) { driver in
            var draft = driver.draft()
            var ids: [ManagedObjectID] = []
            for number in 0..<count {
                let values: PropertyValues = [
                    "code": .text(StoredText("code \(number)")), "rank": .integer(Int64(number)),
                ]
                ids.append(try draft.insert(entities[number % entities.count], values))
            }
            try driver.commit(draft)
            try driver.commit { draft in
                for (number, id) in ids.enumerated() {
                    let next = (number + 1) % count
                    try draft.update(id, ["code": .text(StoredText("code \(next)"))])
                }
            }
            for (number, id) in ids.enumerated() {
                try checkEqual(
                    try driver.values(id)?["code"],
                    .text(StoredText("code \((number + 1) % count)")), "the code of row \(number)")
            }
            for number in 0..<count {
                _ = try driver.conflicts {
                    try $0.insert("Disc", ["code": .text(StoredText("code \(number)"))])
                }
            }
        }
    }
}
