import DuramenModel
import Foundation

/// The fixed data for comparing queries: every odd value of every type, nulls, dangling references,
/// and equal sort keys.
struct QueryData: Sendable {
    let driver: StoreDriver
    let contents: StoreContents
    let shelves: [ManagedObjectID]
    let tags: [ManagedObjectID]
    let items: [ManagedObjectID]
    /// An ID without an object.
    let missing: ManagedObjectID

    init(_ driver: StoreDriver) throws {
        self.driver = driver
        var draft = driver.draft()
        shelves = try Self.insertShelves(&draft)
        tags = try Self.insertTags(&draft)
        items = try Self.insertItems(&draft, shelves)
        try Self.insertSamples(&draft)
        for (index, item) in items.enumerated() {
            for (place, tag) in tags.enumerated()
            where (index * 7 + place * 5) % 4 == 0 && index > 3 {
                draft.relate("Item.tags", item, tag)
            }
        }
        try driver.commit(draft)
        let (first, last) = (items[0], items[items.count - 1])
        let (shelves, items) = (shelves, items)
        try driver.commit { draft in
            try draft.update(shelves[0], ["favourite": .objectID(first)])
            try draft.update(shelves[1], ["favourite": .objectID(last)])
            // Dangling after the next save.
            try draft.update(shelves[2], ["favourite": .objectID(items[5])])
        }
        try driver.commit { draft in
            try draft.delete(items[5])
            try draft.delete(shelves[4])
        }
        missing = items[5]
        contents = try driver.contents()
    }

    private static func insertShelves(_ draft: inout ChangeDraft) throws -> [ManagedObjectID] {
        let names: [StoredValue] = [
            .text("high"), .text("Low"), .null, .text(""), .text("gone"), .text("e\u{301}tage"),
        ]
        return try names.enumerated().map { index, name in
            try draft.insert("Shelf", ["name": name, "height": .double(Double(index) - 1.5)])
        }
    }

    private static func insertTags(_ draft: inout ChangeDraft) throws -> [ManagedObjectID] {
        try ["red", "Red", "r\u{E9}d", "blue", "empty"].map {
            try draft.insert("Tag", ["name": .text(StoredText($0))])
        }
    }

    private static func insertItems(
        _ draft: inout ChangeDraft, _ shelves: [ManagedObjectID]
    ) throws -> [ManagedObjectID] {
        var items: [ManagedObjectID] = []
        for index in 0..<24 {
            var values: PropertyValues = [
                "code": index % 3 == 0 ? .null : .text(StoredText("code \(index)")),
                "label": [.text("same"), .null, .text("Same"), .text("s\u{E4}me"), .text("")][
                    index % 5],
                "rank": index % 4 == 0 ? .null : .integer(Int64(index % 6)),
                "shelf": index % 7 == 6 ? .null : .objectID(shelves[index % shelves.count]),
            ]
            if index > 0, index % 2 == 0 { values["parent"] = .objectID(items[index / 2]) }
            let name = ["Book", "Novel", "Disc"][index % 3]
            if name == "Disc" {
                values["minutes"] = .double(Double(index) * 1.25)
            } else {
                values["isbn"] = index % 2 == 0 ? .text(StoredText("\(index)")) : .null
                values["edition"] = .integer(Int64(index))
            }
            items.append(try draft.insert(name, values))
        }
        return items
    }

    /// Adds one object per value of every attribute, and one of nulls; `small` repeats, for
    /// sorting.
    private static func insertSamples(_ draft: inout ChangeDraft) throws {
        try draft.insert("Sample")
        try draft.insert("Sample", SampleValues.plain)
        let longest = SampleValues.all.values.map(\.count).max() ?? 0
        for index in 0..<longest {
            var values: PropertyValues = [:]
            for (name, all) in SampleValues.all where index < all.count {
                values[name] = all[index]
            }
            try draft.insert("Sample", values)
        }
    }
}
