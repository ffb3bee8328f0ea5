import DuramenModel
import DuramenQuery
import DuramenStore
import Foundation

/// Values of attributes with external storage, which a store may keep in files. They must behave
/// like all others, and an old state keeps its own values.
enum ExternalValueCases {
    // The default size of the largest value in a row.
    private static let limit = 131_072

    static var all: [ConformanceCase] { saving + sharing }

    /// Bytes that differ for each count and seed.
    private static func bytes(_ count: Int, _ seed: UInt8 = 1) -> StoredValue {
        .binary(Data(repeating: seed, count: count))
    }

    private static var saving: [ConformanceCase] {
        [
            ConformanceCase(
                .atomicity, "Values around the size from which on they may have files are saved"
            ) { driver in
                let values = [0, 1, limit - 1, limit, limit + 1, 3 * limit].map { bytes($0) }
                var draft = driver.draft()
                let ids = try values.map { try draft.insert("Attachment", ["content": $0]) }
                try driver.commit(draft)
                for (id, value) in zip(ids, values) { try check(driver, id, value, "a value") }
                let turned = Array(values.reversed())
                try driver.commit { draft in
                    for (id, value) in zip(ids, turned) {
                        try draft.update(id, ["content": value])
                    }
                }
                let reader = try FidelityCases.reopenedIfDurable(driver)
                for (id, value) in zip(ids, turned) {
                    try check(reader, id, value, "a value that took another's place")
                }
            },
            ConformanceCase(.atomicity, "A large value stays when its object is changed otherwise")
            {
                driver in
                let id = try driver.insert("Attachment", ["content": bytes(limit + 1)])
                for number in 0..<3 {
                    try driver.commit { try $0.update(id, ["rank": .integer(Int64(number))]) }
                }
                let reader = try FidelityCases.reopenedIfDurable(driver)
                try check(reader, id, bytes(limit + 1), "the value")
            },
        ]
    }

    private static var sharing: [ConformanceCase] {
        [
            ConformanceCase(.atomicity, "Objects with equal large values lose them one by one") {
                driver in
                let value = bytes(limit + 100, 2)
                let other = bytes(limit + 100, 3)
                var draft = driver.draft()
                let ids = try (0..<4).map { _ in
                    try draft.insert("Attachment", ["content": value])
                }
                try driver.commit(draft)
                try driver.commit { draft in
                    try draft.update(ids[0], ["content": other])
                    try draft.update(ids[1], ["content": .null])
                    try draft.delete(ids[2])
                }
                try maintainIfCapable(driver)
                let reader = try FidelityCases.reopenedIfDurable(driver)
                try check(reader, ids[0], other, "the value that was replaced")
                try check(reader, ids[1], .null, "the value that was taken away")
                try check(reader, ids[3], value, "the value that nobody touched")
                try reader.commit { try $0.update(ids[1], ["content": value]) }
                try check(reader, ids[1], value, "the value that came back")
            },
            ConformanceCase(
                .snapshots, "An open snapshot shows large values that were replaced or deleted"
            ) { driver in
                let kept = try driver.insert("Attachment", ["content": bytes(limit + 7, 4)])
                let doomed = try driver.insert("Attachment", ["content": bytes(limit + 8, 5)])
                let snapshot = try driver.store.snapshot()
                try driver.commit { draft in
                    try draft.update(kept, ["content": bytes(limit + 7, 6)])
                    try draft.delete(doomed)
                }
                try maintainIfCapable(driver)
                try check(driver, kept, bytes(limit + 7, 4), "the value then", in: snapshot)
                try check(driver, doomed, bytes(limit + 8, 5), "the deleted one", in: snapshot)
                try check(driver, kept, bytes(limit + 7, 6), "the value now")
            },
        ]
    }

    private static func check(
        _ driver: StoreDriver, _ id: ManagedObjectID, _ expected: StoredValue, _ subject: String,
        in snapshot: (any StoreSnapshot)? = nil
    ) throws {
        let found = try driver.values(id, in: snapshot)?["content"] ?? .null
        if found == expected { return }
        throw Difference("\(subject): found \(summary(found)), expected \(summary(expected))")
    }

    /// The bytes themselves would make messages too long.
    private static func summary(_ value: StoredValue) -> String {
        if case .binary(let data) = value { "\(data.count) bytes" } else { "\(value)" }
    }

    private static func maintainIfCapable(_ driver: StoreDriver) throws {
        guard driver.store.capabilities.contains(.maintenance) else { return }
        try driver.store.maintainIfCapable()
    }
}
