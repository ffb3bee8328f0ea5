import DuramenModel
import DuramenStore

/// Law 5 for compound unique values, and for those that are longer than the keys of many engines.
enum LongUniquenessCases {
    static var all: [ConformanceCase] {
        [
            lastByte("Unique texts are compared to their last byte, however long", "uniqueText") {
                .text($0)
            },
            lastByte("Unique bytes are compared to the last, however many", "uniqueBytes") {
                .binary(LongValues.data($0))
            },
            rotation, twins, compound, nullParts,
        ]
    }

    private static func lastByte(
        _ name: String, _ attribute: String,
        _ value: @escaping @Sendable (StoredText) -> StoredValue
    ) -> ConformanceCase {
        ConformanceCase(.simultaneity, name) { driver in
            let values = LongValues.texts.map { [attribute: value($0)] }
            let ids = try insert(values, driver)
            for (values, id) in zip(values, ids) { try checkTaken(values, by: id, driver) }
            // The old value is free, and the new one is not.
            let (old, new) = (LongValues.text(599, "d"), LongValues.text(599, "e"))
            let id = try driver.insert("Entry", [attribute: value(old)])
            try driver.commit { try $0.update(id, [attribute: value(new)]) }
            try checkTaken([attribute: value(new)], by: id, driver)
            let second = try driver.insert("Entry", [attribute: value(old)])
            try checkTaken([attribute: value(old)], by: second, driver)
            _ = try driver.conflicts { try $0.update(second, [attribute: value(new)]) }
            try driver.commit { try $0.delete(id) }
            let third = try driver.insert("Entry", [attribute: value(new)])
            try checkTaken([attribute: value(new)], by: third, driver)
        }
    }

    private static var rotation: ConformanceCase {
        ConformanceCase(.simultaneity, "Rows pass their long unique values round") { driver in
            let values = ["a", "b", "c"].map { end -> PropertyValues in
                let text = LongValues.text(599, end)
                return [
                    "uniqueText": .text(text), "uniqueBytes": .binary(LongValues.data(text)),
                    "first": .text(text), "second": .text("same"),
                ]
            }
            let ids = try insert(values, driver)
            let turned = Array(values[1...]) + [values[0]]
            try driver.commit { draft in
                for (id, values) in zip(ids, turned) { try draft.update(id, values) }
            }
            for (id, values) in zip(ids, turned) {
                try check(try driver.values(id) == values, "a row has not what it was given")
                for names in [["uniqueText"], ["uniqueBytes"], ["first", "second"]] {
                    try checkTaken(values.filter { names.contains($0.key) }, by: id, driver)
                }
            }
        }
    }

    private static var twins: ConformanceCase {
        ConformanceCase(
            .simultaneity, "Two new rows of one long unique value conflict with each other"
        ) { driver in
            let text = LongValues.text(599, "a")
            for values: PropertyValues in [
                ["uniqueText": .text(text)], ["uniqueBytes": .binary(LongValues.data(text))],
                ["first": .text(text), "second": .text(text)],
            ] {
                var ids: Set<ManagedObjectID> = []
                let conflicts = try driver.conflicts { draft in
                    for _ in 0..<2 { ids.insert(try draft.insert("Entry", values)) }
                }
                guard case .uniqueness(let conflict)? = conflicts.first else {
                    throw Difference("expected a uniqueness conflict, found another one")
                }
                try checkEqual(Set([conflict.id, conflict.otherID]), ids, "the two objects")
            }
            try checkEqual(try driver.contents().records.count, 0, "the rows written")
        }
    }

    private static var compound: ConformanceCase {
        ConformanceCase(
            .simultaneity, "The parts of a compound unique value do not run into each other"
        ) { driver in
            let values = LongValues.pairs.map { pair($0, $1) }
            let ids = try insert(values, driver)
            for (values, id) in zip(values, ids) { try checkTaken(values, by: id, driver) }
        }
    }

    private static var nullParts: ConformanceCase {
        ConformanceCase(
            .simultaneity, "Null beside a long part or an empty one conflicts with nothing"
        ) { driver in
            let values = LongValues.nullPairs.map { pair($0, $1) }
            _ = try insert(values + values + LongValues.pairs.map { pair($0, $1) }, driver)
            let id = try driver.insert("Entry", pair("whole", LongValues.text(600)))
            try driver.commit { try $0.update(id, ["first": .null]) }
            let next = try driver.insert("Entry", pair("whole", LongValues.text(600)))
            try checkTaken(pair("whole", LongValues.text(600)), by: next, driver)
        }
    }

    private static func pair(_ first: StoredText?, _ second: StoredText?) -> PropertyValues {
        ["first": LongValues.value(first), "second": LongValues.value(second)]
    }

    /// Saves new entries, all at once.
    private static func insert(
        _ all: [PropertyValues], _ driver: StoreDriver
    ) throws -> [ManagedObjectID] {
        var draft = driver.draft()
        let ids = try all.map { try draft.insert("Entry", $0) }
        try driver.commit(draft)
        return ids
    }

    /// Fails unless another entry with these values conflicts with their holder only.
    private static func checkTaken(
        _ values: PropertyValues, by holder: ManagedObjectID, _ driver: StoreDriver
    ) throws {
        let conflicts = try driver.conflicts { try $0.insert("Entry", values) }
        guard conflicts.count == 1, case .uniqueness(let conflict) = conflicts[0] else {
            throw Difference("expected one uniqueness conflict, found \(conflicts.count)")
        }
        try checkEqual(conflict.otherID, holder, "the other object")
    }
}
