import DuramenModel
import DuramenStore

/// Law 2 for change sets that no context sends: they are refused, and nothing is written.
enum RefusalCases {
    static var all: [ConformanceCase] {
        [
            ConformanceCase(.atomicity, "An object twice in a change set is refused") { driver in
                let library = try Library(driver)
                let key = try driver.store.allocateKeys(1, for: driver.entity("Disc").id).lowerBound
                try refuses(driver, "two insertions") {
                    try $0.insert("Disc", key: key)
                    try $0.insert("Book", key: key)
                }
                try refuses(driver, "two updates") {
                    try $0.update(library.book, ["rank": .integer(5)])
                    try $0.update(library.novel, ["rank": .integer(5)])
                    try $0.update(library.book, ["label": .text("twice")])
                }
                try refuses(driver, "two deletions") {
                    try $0.delete(library.disc)
                    try $0.delete(library.disc)
                }
                try refuses(driver, "an update and a deletion") {
                    try $0.update(library.disc, ["rank": .integer(5)])
                    try $0.delete(library.disc)
                }
                try refuses(driver, "a deletion and an insertion") {
                    try $0.delete(library.book)
                    try $0.insert("Book", ["label": .text("twice")], key: library.book.key)
                }
            },
            ConformanceCase(.atomicity, "Keys that do not rise are no reason to refuse") { driver in
                let library = try Library(driver)
                let keys = try driver.store.allocateKeys(9, for: driver.entity("Item").id)
                var draft = driver.draft()
                for key in keys.reversed() { try draft.insert("Disc", key: key) }
                // An equal key in another hierarchy is another object.
                try draft.insert("Sample", key: keys.lowerBound)
                try draft.delete(library.novel)
                try draft.update(library.book, ["rank": .integer(8)])
                try driver.commit(draft)
                try checkEqual(try driver.values(library.book)?["rank"], .integer(8), "the update")
                try checkEqual(try driver.values(library.novel), nil, "the deleted row")
            },
            ConformanceCase(.atomicity, "Rows of abstract entities are refused") { driver in
                try refuses(driver, "a row of an abstract entity") {
                    try $0.insert("Item", ["label": .text("of no kind")])
                }
            },
            ConformanceCase(.atomicity, "Rows of another shape are refused") { driver in
                let item = driver.entity("Disc")
                try refuses(driver, "a row with too few slots") {
                    var builder = RowBatchBuilder(capacity: 64)
                    builder.beginRow(entity: item.id, slotCount: 1, key: 1, version: .unsaved)
                    builder.endRow()
                    $0.changes.inserts.append(builder.finish()[0])
                }
            },
            ConformanceCase(.atomicity, "Pairs of what is no many-to-many are refused") { driver in
                let library = try Library(driver)
                try refuses(driver, "a pair of a one-to-many") {
                    $0.relate("Shelf.items", library.lowShelf, library.disc)
                }
                try refuses(driver, "a pair of a to-one") {
                    $0.unrelate("Item.shelf", library.book, library.highShelf)
                }
            },
            ConformanceCase(
                .atomicity, "Pairs of objects that a many-to-many does not join are refused"
            ) { driver in
                let library = try Library(driver)
                try refuses(driver, "a pair the wrong way round") {
                    $0.relate("Item.tags", library.redTag, library.book)
                }
                try refuses(driver, "a pair with an object of another entity") {
                    $0.unrelate("Tag.items", library.redTag, library.lowShelf)
                }
            },
            ConformanceCase(.atomicity, "Numbers in an order that there is not are refused") {
                driver in
                let library = try Library(driver)
                try refuses(driver, "a number in a to-many without order") {
                    $0.relate("Item.tags", library.disc, library.redTag, order: 1)
                }
                try refuses(driver, "a number in an inverse without order") {
                    $0.relate("Item.tags", library.disc, library.redTag, inverseOrder: 1)
                }
            },
        ]
    }

    /// Checks that a change set with some valid edits is refused, and that nothing is written.
    private static func refuses(
        _ driver: StoreDriver, _ subject: String, _ edit: (inout ChangeDraft) throws -> Void
    ) throws {
        let before = try driver.contents()
        let generation = try driver.store.snapshot().generation
        var draft = driver.draft()
        try draft.insert("Tag", ["name": .text("bystander")])
        try edit(&draft)
        try checkThrows(.invalidRequest, subject) { try driver.store.save(draft.changes) }
        try checkSame(try driver.contents(), before, "the store after \(subject)")
        try checkEqual(
            try driver.store.snapshot().generation, generation, "the generation after \(subject)")
    }
}
