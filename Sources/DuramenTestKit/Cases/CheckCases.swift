import DuramenModel
import DuramenStore
import Foundation

/// Law 2 for rows that a save only compares.
enum CheckCases {
    static var all: [ConformanceCase] {
        [
            ConformanceCase(.atomicity, "A check of a changed row conflicts and changes nothing") {
                driver in
                let library = try Library(driver)
                let stale = try driver.existingRow(library.book)
                try driver.commit { try $0.update(library.book, ["label": .text("newer")]) }
                try AtomicityCases.nothingChanges(driver) { draft in
                    draft.check(stale)
                    try AtomicityCases.addBystanders(to: &draft, library)
                } check: { conflicts in
                    let conflict = try AtomicityCases.onlyVersionConflict(conflicts)
                    try checkEqual(conflict.id, library.book, "the object in conflict")
                    try checkEqual(conflict.baseVersion, stale.version, "the base version")
                    try AtomicityCases.checkStored(conflict, driver)
                }
            },
            ConformanceCase(.atomicity, "A check of a deleted row conflicts without a stored row") {
                driver in
                let library = try Library(driver)
                let stale = try driver.existingRow(library.disc)
                try driver.commit { try $0.delete(library.disc) }
                try AtomicityCases.nothingChanges(driver) { draft in
                    draft.check(stale)
                    try draft.update(library.book, ["rank": .integer(5)])
                } check: { conflicts in
                    let conflict = try AtomicityCases.onlyVersionConflict(conflicts)
                    try checkEqual(conflict.id, library.disc, "the object in conflict")
                    try check(conflict.storedRow == nil, "a deleted row came with the conflict")
                }
            },
            ConformanceCase(.atomicity, "Checks are compared when there is nothing to write") {
                driver in
                let library = try Library(driver)
                let stale = try driver.existingRow(library.book)
                try driver.commit { $0.check(stale) }
                try driver.commit { try $0.update(library.book, ["rank": .integer(7)]) }
                try AtomicityCases.nothingChanges(driver) {
                    $0.check(stale)
                } check: { conflicts in
                    _ = try AtomicityCases.onlyVersionConflict(conflicts)
                }
            },
            ConformanceCase(.atomicity, "A row that is only checked stays as it is") { driver in
                let library = try Library(driver)
                let rows = try [library.book, library.sample, library.highShelf, library.redTag]
                    .map { try driver.existingRow($0) }
                let before = try driver.contents()
                // The rows were read once: a check does not change their versions.
                for rank in 3..<6 {
                    try driver.commit { draft in
                        for row in rows { draft.check(row) }
                        try draft.update(library.novel, ["rank": .integer(Int64(rank))])
                    }
                }
                let after = try driver.contents()
                for row in rows {
                    let id = driver.id(of: row)
                    try checkEqual(after.records[id], before.records[id], "a row that was checked")
                }
                try checkEqual(
                    try driver.values(library.novel)?["rank"], .integer(5), "the row written")
            },
            ConformanceCase(.atomicity, "What is written may be checked too, as it was before") {
                driver in
                let library = try Library(driver)
                let stale = try driver.existingRow(library.book)
                try driver.commit { try $0.update(library.book, ["rank": .integer(3)]) }
                let book = try driver.existingRow(library.book)
                let disc = try driver.existingRow(library.disc)
                try driver.commit { draft in
                    draft.update(book, ["rank": .integer(4)])
                    draft.check(book)
                    draft.delete(disc)
                    draft.check(disc)
                    draft.check(disc)
                }
                try checkEqual(try driver.values(library.disc), nil, "the deleted row")
                let newer = try driver.existingRow(library.book)
                try AtomicityCases.nothingChanges(driver) { draft in
                    draft.update(newer, ["rank": .integer(5)])
                    draft.check(stale)
                } check: { conflicts in
                    let conflict = try AtomicityCases.onlyVersionConflict(conflicts)
                    try checkEqual(conflict.baseVersion, stale.version, "the version checked")
                }
                try AtomicityCases.nothingChanges(driver) { draft in
                    draft.update(book, ["rank": .integer(5)])
                    draft.check(stale)
                    draft.check(disc)
                } check: { conflicts in
                    try checkEqual(
                        conflicts.count, 2, "conflicts, one for each object")
                }
            },
            ConformanceCase(.atomicity, "Conflicts of checks come back with all others") { driver in
                let library = try Library(driver)
                let rows = try [library.book, library.novel, library.disc]
                    .map { try driver.existingRow($0) }
                try driver.commit {
                    try $0.update(library.book, ["rank": .integer(10)])
                    try $0.update(library.novel, ["rank": .integer(11)])
                    try $0.delete(library.disc)
                }
                try AtomicityCases.nothingChanges(driver) { draft in
                    draft.update(rows[0], ["rank": .integer(1)])
                    draft.check(rows[1])
                    draft.check(rows[2])
                    try draft.insert("Tag", ["name": .text("red")])
                } check: { conflicts in
                    var versions: Set<ManagedObjectID> = []
                    var others = 0
                    for conflict in conflicts {
                        if case .version(let conflict) = conflict {
                            versions.insert(conflict.id)
                        } else {
                            others += 1
                        }
                    }
                    try checkEqual(versions, Set(rows.map(driver.id(of:))), "the stale objects")
                    try checkEqual(others, 1, "conflicts of unique values")
                }
            },
            ConformanceCase(.atomicity, "Checks of what the store cannot have are refused") {
                driver in
                let library = try Library(driver)
                let version = try driver.existingRow(library.book).version
                let strangers = [
                    ManagedObjectID.temporary(entity: library.book.entityHandle),
                    ManagedObjectID(
                        store: StoreHandle(uuid: UUID()), entity: library.book.entityHandle, key: 1),
                ]
                let before = try driver.contents()
                for id in strangers {
                    var draft = driver.draft()
                    try draft.insert("Tag", ["name": .text("bystander")])
                    draft.changes.checks.append(RowCheck(id: id, baseVersion: version))
                    try checkThrows(.invalidRequest, "a check of a stranger") {
                        try driver.store.save(draft.changes)
                    }
                }
                try checkSame(try driver.contents(), before, "the store after the refusals")
            },
        ]
    }
}
