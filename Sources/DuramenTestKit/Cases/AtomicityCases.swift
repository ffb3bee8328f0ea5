import DuramenModel
import DuramenStore

/// Law 2: a save is all or nothing, and reports all conflicts at once.
enum AtomicityCases {
    static var all: [ConformanceCase] { conflicts + refusals }

    private static var conflicts: [ConformanceCase] {
        [
            ConformanceCase(.atomicity, "A stale update conflicts and changes nothing") { driver in
                let library = try Library(driver)
                let stale = try driver.existingRow(library.book)
                try driver.commit { try $0.update(library.book, ["label": .text("newer")]) }
                try nothingChanges(driver) { draft in
                    draft.update(stale, ["label": .text("stale")])
                    try addBystanders(to: &draft, library)
                } check: { conflicts in
                    let conflict = try onlyVersionConflict(conflicts)
                    try checkEqual(conflict.id, library.book, "the object in conflict")
                    try checkEqual(conflict.baseVersion, stale.version, "the base version")
                    try checkStored(conflict, driver)
                }
            },
            ConformanceCase(.atomicity, "A stale delete conflicts and changes nothing") { driver in
                let library = try Library(driver)
                let stale = try driver.existingRow(library.book)
                try driver.commit { try $0.update(library.book, ["rank": .integer(99)]) }
                try nothingChanges(driver) { draft in
                    draft.delete(stale)
                    try addBystanders(to: &draft, library)
                } check: { conflicts in
                    let conflict = try onlyVersionConflict(conflicts)
                    try checkEqual(conflict.id, library.book, "the object in conflict")
                    try checkStored(conflict, driver)
                }
            },
            ConformanceCase(.atomicity, "Updating a deleted row conflicts without a stored row") {
                driver in
                let library = try Library(driver)
                let stale = try driver.existingRow(library.book)
                try driver.commit { try $0.delete(library.book) }
                try nothingChanges(driver) { draft in
                    draft.update(stale, ["rank": .integer(5)])
                    draft.relate("Item.tags", library.disc, library.blueTag)
                } check: { conflicts in
                    let conflict = try onlyVersionConflict(conflicts)
                    try check(conflict.storedRow == nil, "a deleted row came with the conflict")
                }
            },
            ConformanceCase(.atomicity, "Deleting a deleted row conflicts without a stored row") {
                driver in
                let library = try Library(driver)
                let stale = try driver.existingRow(library.disc)
                try driver.commit { try $0.delete(library.disc) }
                try nothingChanges(driver) { draft in
                    draft.delete(stale)
                    try draft.insert("Tag", ["name": .text("green")])
                } check: { conflicts in
                    let conflict = try onlyVersionConflict(conflicts)
                    try check(conflict.storedRow == nil, "a deleted row came with the conflict")
                }
            },
            ConformanceCase(.atomicity, "All conflicts of all kinds come back at once") { driver in
                let library = try Library(driver)
                let rows = try [library.book, library.novel, library.disc, library.lowShelf]
                    .map { try driver.existingRow($0) }
                try driver.commit {
                    try $0.update(library.book, ["rank": .integer(10)])
                    try $0.update(library.novel, ["rank": .integer(11)])
                    try $0.delete(library.disc)
                    try $0.update(library.lowShelf, ["name": .text("lower")])
                }
                var duplicate: ManagedObjectID?
                try nothingChanges(driver) { draft in
                    draft.update(rows[0], ["rank": .integer(1)])
                    draft.delete(rows[1])
                    draft.update(rows[2], ["rank": .integer(2)])
                    draft.update(rows[3], ["height": .double(1)])
                    duplicate = try draft.insert("Tag", ["name": .text("red")])
                    try draft.insert("Tag", ["name": .text("yellow")])
                } check: { conflicts in
                    var versions: Set<ManagedObjectID> = []
                    var unique: Set<ManagedObjectID> = []
                    for conflict in conflicts {
                        switch conflict {
                        case .version(let conflict): versions.insert(conflict.id)
                        case .uniqueness(let conflict):
                            unique.formUnion([conflict.id, conflict.otherID])
                        }
                    }
                    try checkEqual(versions, Set(rows.map(driver.id(of:))), "the stale objects")
                    let expected: Set = [library.redTag, duplicate ?? library.redTag]
                    try checkEqual(unique, expected, "the objects of one unique value")
                }
            },
            ConformanceCase(
                .atomicity, "A conflict carries the stored values of every attribute type"
            ) {
                driver in
                let id = try driver.insert("Sample", SampleValues.plain)
                let stale = try driver.existingRow(id)
                for (name, values) in SampleValues.all.sorted(by: { $0.key < $1.key }) {
                    for value in [.null] + values.prefix(3) {
                        try driver.commit { try $0.update(id, [name: value]) }
                        let conflicts = try driver.conflicts {
                            $0.update(stale, ["text": .text("x")])
                        }
                        try checkStored(try onlyVersionConflict(conflicts), driver)
                    }
                }
            },
            ConformanceCase(
                .atomicity, "A uniqueness conflict names both objects, the rule and the row"
            ) {
                driver in
                let library = try Library(driver)
                var id: ManagedObjectID?
                try nothingChanges(driver) { draft in
                    id = try draft.insert("Disc", ["code": .text("b1"), "label": .text("another")])
                    try draft.insert("Disc", ["code": .text("free")])
                } check: { conflicts in
                    guard conflicts.count == 1, case .uniqueness(let conflict) = conflicts[0] else {
                        throw Difference("expected one uniqueness conflict")
                    }
                    try checkEqual(conflict.id, id, "the object of the change set")
                    try checkEqual(conflict.otherID, library.book, "the other object")
                    try checkEqual(conflict.constraint.properties, ["code"], "the constraint")
                    let row = conflict.storedRow
                    try checkEqual(row.map(driver.id(of:)), library.book, "the stored row")
                    try checkEqual(
                        row?.version, try driver.existingRow(library.book).version, "its version")
                }
            },
            ConformanceCase(
                .atomicity, "A conflict is followed by good saves as if it had not been"
            ) {
                driver in
                let library = try Library(driver)
                let stale = try driver.existingRow(library.book)
                try driver.commit { try $0.update(library.book, ["rank": .integer(7)]) }
                for _ in 0..<3 {
                    _ = try driver.conflicts { $0.update(stale, ["rank": .integer(8)]) }
                }
                try driver.commit { try $0.update(library.book, ["rank": .integer(9)]) }
                try checkEqual(
                    try driver.values(library.book)?["rank"], .integer(9), "the value saved at last"
                )
            },
        ]
    }

    private static var refusals: [ConformanceCase] {
        [
            ConformanceCase(
                .atomicity, "Inserting under a key in use is refused and changes nothing"
            ) {
                driver in
                let library = try Library(driver)
                let before = try driver.contents()
                var draft = driver.draft()
                try draft.insert("Tag", ["name": .text("innocent")])
                try draft.insert("Disc", ["label": .text("intruder")], key: library.book.key)
                try checkThrows(.invalidRequest, "an insert under a key in use") {
                    try driver.store.save(draft.changes)
                }
                try checkSame(try driver.contents(), before, "the store after the refusal")
            },
            ConformanceCase(.atomicity, "A save of everything at once is written whole") { driver in
                let library = try Library(driver)
                var draft = driver.draft()
                let tag = try draft.insert("Tag", ["name": .text("green")])
                try draft.update(library.novel, ["label": .text("renamed"), "parent": .null])
                try draft.delete(library.disc)
                draft.relate("Item.tags", library.novel, tag)
                draft.unrelate("Tag.items", library.redTag, library.book)
                draft.relate("Tag.related", tag, library.redTag)
                draft.changes.metadata["step"] = .integer(1)
                try driver.commit(draft)
                let novel = try driver.values(library.novel)
                try checkEqual(novel?["label"], .text("renamed"), "the updated attribute")
                try checkEqual(novel?["parent"], nil, "the cleared to-one")
                try checkEqual(novel?["genre"], .text("crime"), "an attribute left as it was")
                try checkEqual(try driver.values(library.disc), nil, "the deleted row")
                try checkEqual(
                    try driver.destinations("Tag.items", of: tag), [library.novel], "the added pair"
                )
                try checkEqual(
                    try driver.destinations("Item.tags", of: library.book), [], "the removed pair")
                try checkEqual(
                    try driver.destinations("Tag.relatedBy", of: library.redTag), [tag],
                    "the pair of one entity with itself")
                try checkEqual(
                    try driver.store.metadata().userInfo["step"], .integer(1), "the metadata")
            },
            ConformanceCase(.atomicity, "Pairs that are there or gone already do no harm") {
                driver in
                let library = try Library(driver)
                try driver.commit {
                    $0.relate("Item.tags", library.book, library.redTag)
                    $0.relate("Tag.items", library.redTag, library.book)
                    $0.unrelate("Item.tags", library.disc, library.redTag)
                }
                try checkEqual(
                    try driver.destinations("Item.tags", of: library.book), [library.redTag],
                    "the pair added again")
                try driver.commit {
                    $0.unrelate("Tag.items", library.redTag, library.book)
                    $0.unrelate("Item.tags", library.book, library.redTag)
                }
                try checkEqual(
                    try driver.destinations("Item.tags", of: library.book), [], "the pair removed")
                try checkEqual(
                    try driver.destinations("Tag.items", of: library.redTag), [], "its other side")
            },
        ]
    }

    // MARK: - Parts

    /// Valid edits, which must not be written when another edit conflicts.
    static func addBystanders(to draft: inout ChangeDraft, _ library: Library) throws {
        try draft.insert("Tag", ["name": .text("bystander")])
        try draft.update(library.novel, ["label": .text("bystander")])
        try draft.delete(library.lowShelf)
        draft.relate("Item.tags", library.disc, library.blueTag)
        draft.changes.metadata["bystander"] = .boolean(true)
    }

    static func nothingChanges(
        _ driver: StoreDriver, _ edit: (inout ChangeDraft) throws -> Void,
        check: ([StoreConflict]) throws -> Void
    ) throws {
        let before = try driver.contents()
        let generation = try driver.store.snapshot().generation
        let metadata = try driver.store.metadata()
        try check(try driver.conflicts(edit))
        try checkSame(try driver.contents(), before, "the store after a conflict")
        try checkEqual(
            try driver.store.snapshot().generation, generation, "the generation after a conflict")
        try checkEqual(try driver.store.metadata(), metadata, "the metadata after a conflict")
    }

    static func onlyVersionConflict(
        _ conflicts: [StoreConflict]
    ) throws -> VersionConflict {
        guard conflicts.count == 1, case .version(let conflict) = conflicts[0] else {
            throw Difference("expected one version conflict, found \(conflicts.count) conflicts")
        }
        return conflict
    }

    static func checkStored(_ conflict: VersionConflict, _ driver: StoreDriver) throws {
        guard let found = conflict.storedRow else {
            throw Difference("a conflict came without its stored row")
        }
        let stored = try driver.existingRow(conflict.id)
        try checkEqual(found.version, stored.version, "the stored row's version")
        try checkEqual(
            RowCoding.values(of: found, in: driver.model, store: driver.store.handle),
            RowCoding.values(of: stored, in: driver.model, store: driver.store.handle),
            "the stored row's values")
    }
}
