import DuramenModel

/// A few objects of all entities, related in all ways: the initial data of most cases.
struct Library: Sendable {
    let highShelf: ManagedObjectID
    let lowShelf: ManagedObjectID
    let redTag: ManagedObjectID
    let blueTag: ManagedObjectID
    let book: ManagedObjectID
    let novel: ManagedObjectID
    let disc: ManagedObjectID
    let sample: ManagedObjectID

    /// Saves the objects.
    init(_ driver: StoreDriver) throws {
        var draft = driver.draft()
        highShelf = try draft.insert("Shelf", ["name": .text("high"), "height": .double(2.5)])
        lowShelf = try draft.insert("Shelf", ["name": .text("low")])
        redTag = try draft.insert("Tag", ["name": .text("red")])
        blueTag = try draft.insert("Tag", ["name": .text("blue")])
        book = try draft.insert(
            "Book",
            [
                "code": .text("b1"), "label": .text("A book"), "rank": .integer(1),
                "isbn": .text("111"), "edition": .integer(1), "shelf": .objectID(highShelf),
            ])
        novel = try draft.insert(
            "Novel",
            [
                "code": .text("n1"), "label": .text("A novel"), "rank": .integer(2),
                "isbn": .text("222"), "edition": .integer(1), "genre": .text("crime"),
                "shelf": .objectID(highShelf), "parent": .objectID(book),
            ])
        disc = try draft.insert(
            "Disc", ["code": .text("d1"), "label": .text("A disc"), "minutes": .double(47.5)])
        sample = try draft.insert("Sample", SampleValues.plain)
        draft.relate("Item.tags", book, redTag)
        draft.relate("Tag.related", redTag, blueTag)
        try driver.commit(draft)
        try driver.commit { [lowShelf, disc] in
            try $0.update(lowShelf, ["favourite": .objectID(disc)])
        }
    }
}
