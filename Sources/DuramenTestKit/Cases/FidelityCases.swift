import DuramenModel
import DuramenQuery
import DuramenStore

/// Law 2, the other half: saved data of every type and kind can be read, also after reopening.
enum FidelityCases {
    static var all: [ConformanceCase] { attributes + relationships + CompositeCases.fidelity }

    private static var attributes: [ConformanceCase] {
        ConformanceModel.sampleAttributes.map { attribute in
            ConformanceCase(
                .atomicity, "Values of type \(attribute.type) are saved and read unchanged"
            ) { driver in
                let values = [.null] + (SampleValues.all[attribute.name] ?? [])
                var draft = driver.draft()
                var ids: [ManagedObjectID] = []
                for value in values {
                    ids.append(try draft.insert("Sample", [attribute.name: value]))
                }
                try driver.commit(draft)
                try checkValues(driver, ids, attribute.name, values)
                let turned = Array(values.reversed())
                try driver.commit { draft in
                    for (id, value) in zip(ids, turned) {
                        try draft.update(id, [attribute.name: value])
                    }
                }
                let reader = try reopenedIfDurable(driver)
                try checkValues(reader, ids, attribute.name, turned)
            }
        } + [
            ConformanceCase(.atomicity, "A row of all types at once is saved and read unchanged") {
                driver in
                let full = try driver.insert("Sample", SampleValues.plain)
                let empty = try driver.insert("Sample")
                let strict = try driver.insert("Strict", SampleValues.plain)
                let reader = try reopenedIfDurable(driver)
                try checkEqual(try reader.values(full), SampleValues.plain, "the full row")
                try checkEqual(try reader.values(empty), [:], "the row of nulls")
                try checkEqual(
                    try reader.values(strict), SampleValues.plain, "the row without nulls")
            },
            ConformanceCase(.atomicity, "Long texts and bytes are saved and read unchanged") {
                driver in
                let text = StoredText(String(repeating: "é\u{0}x\u{1F600}", count: 150_000))
                let id = try driver.insert(
                    "Sample", ["text": .text(text), "link": .uri("urn:x:y")])
                let reader = try reopenedIfDurable(driver)
                let found = try reader.values(id)?["text"]
                try check(found == .text(text), "a text of a megabyte came back changed")
            },
        ]
    }

    private static var relationships: [ConformanceCase] {
        [
            ConformanceCase(.atomicity, "Nothing that a store shows contradicts something else") {
                driver in
                _ = try Library(driver)
                try checkEqual(try StoreVerification(of: driver.store).run(), [], "the findings")
                let reader = try reopenedIfDurable(driver)
                try checkEqual(try StoreVerification(of: reader.store).run(), [], "those later")
            },
            ConformanceCase(.atomicity, "Objects of every entity are read as what they are") {
                driver in
                let library = try Library(driver)
                let before = try driver.contents()
                try checkEqual(before.records.count, 8, "the number of objects")
                let reader = try reopenedIfDurable(driver)
                try checkSame(try reader.contents(), before, "all objects")
                try checkEqual(library.novel.entityName, "Novel", "the entity of the novel")
                for (name, count) in [
                    ("Item", 3), ("Book", 2), ("Novel", 1), ("Disc", 1), ("Tag", 2),
                ] {
                    let query = reader.store.pushdown(for: reader.query(name)).pushed
                    let found = try reader.store.snapshot().count(query)
                    try checkEqual(found, count, "the number of objects of \(name)")
                }
            },
            ConformanceCase(.atomicity, "A to-one is read from both sides") { driver in
                let library = try Library(driver)
                let reader = try reopenedIfDurable(driver)
                try checkEqual(
                    try reader.values(library.book)?["shelf"], .objectID(library.highShelf),
                    "the to-one")
                try checkEqual(
                    try reader.destinations("Shelf.items", of: library.highShelf),
                    [library.book, library.novel].sorted(), "the to-many")
                try checkEqual(
                    try reader.destinations("Shelf.items", of: library.lowShelf), [],
                    "an empty to-many")
            },
            ConformanceCase(.atomicity, "A to-one keeps the sub-entity that it leads to") {
                driver in
                let library = try Library(driver)
                let shelf = library.lowShelf
                for item in [library.book, library.novel, library.disc] {
                    try driver.commit { try $0.update(shelf, ["favourite": .objectID(item)]) }
                    try checkEqual(
                        try driver.values(shelf)?["favourite"], .objectID(item), "the destination")
                    try checkEqual(
                        try driver.destinations("Item.favouredBy", of: item), [shelf],
                        "the way back")
                }
                try checkEqual(
                    try reopenedIfDurable(driver).values(shelf)?["favourite"],
                    .objectID(library.disc), "the destination at last")
            },
            ConformanceCase(
                .atomicity, "A relationship of an entity to itself is read from both sides"
            ) {
                driver in
                let library = try Library(driver)
                try driver.commit {
                    try $0.update(library.disc, ["parent": .objectID(library.disc)])
                }
                let reader = try reopenedIfDurable(driver)
                try checkEqual(
                    try reader.destinations("Item.parts", of: library.book), [library.novel],
                    "the parts")
                try checkEqual(
                    try reader.destinations("Item.parts", of: library.disc), [library.disc],
                    "the parts of an object that is its own part")
            },
            ConformanceCase(.atomicity, "A one-to-one is read from both sides") { driver in
                var draft = driver.draft()
                let keys = try driver.store.allocateKeys(2, for: driver.entity("Sample").id)
                let ids = keys.map {
                    ManagedObjectID(
                        store: driver.store.handle, entity: driver.entity("Sample").handle, key: $0)
                }
                try draft.insert("Sample", ["next": .objectID(ids[1])], key: ids[0].key)
                try draft.insert("Sample", ["previous": .objectID(ids[0])], key: ids[1].key)
                try driver.commit(draft)
                let reader = try reopenedIfDurable(driver)
                try checkEqual(try reader.values(ids[0]), ["next": .objectID(ids[1])], "the first")
                try checkEqual(
                    try reader.values(ids[1]), ["previous": .objectID(ids[0])], "the second")
            },
            ConformanceCase(.atomicity, "Many-to-many pairs are read from both sides") { driver in
                let library = try Library(driver)
                try driver.commit {
                    $0.relate("Item.tags", library.disc, library.redTag)
                    $0.relate("Tag.items", library.blueTag, library.disc)
                    $0.relate("Tag.relatedBy", library.redTag, library.blueTag)
                    $0.relate("Tag.related", library.redTag, library.redTag)
                }
                let reader = try reopenedIfDurable(driver)
                try checkEqual(
                    try reader.destinations("Item.tags", of: library.disc),
                    [library.redTag, library.blueTag].sorted(), "the tags of the disc")
                try checkEqual(
                    try reader.destinations("Tag.items", of: library.redTag),
                    [library.book, library.disc].sorted(), "the items of the red tag")
                try checkEqual(
                    try reader.destinations("Tag.related", of: library.redTag),
                    [library.redTag, library.blueTag].sorted(), "what the red tag is related to")
                try checkEqual(
                    try reader.destinations("Tag.related", of: library.blueTag), [library.redTag],
                    "what the blue tag is related to")
                try checkEqual(
                    try reader.destinations("Tag.relatedBy", of: library.redTag),
                    [library.redTag, library.blueTag].sorted(), "what is related to the red tag")
            },
        ]
    }

    static func reopenedIfDurable(_ driver: StoreDriver) throws -> StoreDriver {
        driver.store.capabilities.contains(.durable) ? try driver.reopened() : driver
    }

    private static func checkValues(
        _ driver: StoreDriver, _ ids: [ManagedObjectID], _ name: String, _ values: [StoredValue]
    ) throws {
        let rows = try driver.store.snapshot().rows(for: ids)
        try checkEqual(rows.count, ids.count, "the number of rows")
        for (index, row) in rows.enumerated() {
            let found = RowCoding.values(of: row, in: driver.model, store: driver.store.handle)
            let expected = values[index].isNull ? [:] : [name: values[index]]
            try check(found == expected, "value \(index) of '\(name)': \(found), not \(expected)")
        }
    }
}
