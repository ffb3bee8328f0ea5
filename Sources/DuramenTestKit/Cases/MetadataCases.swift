import DuramenModel
import DuramenStore
import Foundation

/// Law 10: metadata travels in the change set and commits with the data.
enum MetadataCases {
    static var all: [ConformanceCase] {
        [
            ConformanceCase(.metadata, "Metadata commits with the data") { driver in
                var draft = driver.draft()
                let id = try draft.insert("Disc")
                draft.changes.metadata = ["cursor": .integer(1), "name": .text("é")]
                try driver.commit(draft)
                try checkEqual(
                    try driver.store.metadata().userInfo,
                    ["cursor": .integer(1), "name": .text("é")],
                    "the entries")
                try check(
                    try driver.values(id) != nil, "the row saved with the metadata is missing")
            },
            ConformanceCase(.metadata, "Metadata of a conflicted save is not written") { driver in
                let library = try Library(driver)
                let stale = try driver.existingRow(library.book)
                try driver.commit {
                    try $0.update(library.book, ["rank": .integer(3)])
                    $0.changes.metadata = ["cursor": .integer(1), "other": .text("kept")]
                }
                let before = try driver.store.metadata()
                _ = try driver.conflicts {
                    $0.update(stale, ["rank": .integer(4)])
                    $0.changes.metadata = [
                        "cursor": .integer(2), "new": .integer(3), "other": .null,
                    ]
                }
                try checkEqual(try driver.store.metadata(), before, "after a version conflict")
                _ = try driver.conflicts {
                    try $0.insert("Tag", ["name": .text("red")])
                    $0.changes.metadata = ["cursor": .integer(3)]
                }
                try checkEqual(try driver.store.metadata(), before, "after a uniqueness conflict")
            },
            ConformanceCase(.metadata, "Metadata of a refused save is not written") { driver in
                let library = try Library(driver)
                let before = try driver.store.metadata()
                var draft = driver.draft()
                try draft.insert("Disc", key: library.book.key)
                draft.changes.metadata = ["cursor": .integer(2)]
                try checkThrows(.invalidRequest, "an insert under a key in use") {
                    try driver.store.save(draft.changes)
                }
                try checkEqual(try driver.store.metadata(), before, "the metadata")
            },
            ConformanceCase(.metadata, "Null takes an entry away, and other entries stay") {
                driver in
                try driver.commit {
                    $0.changes.metadata = ["a": .integer(1), "b": .integer(2), "c": .integer(3)]
                }
                try driver.commit {
                    $0.changes.metadata = ["b": .null, "c": .text("three"), "d": .null]
                }
                try checkEqual(
                    try driver.store.metadata().userInfo, ["a": .integer(1), "c": .text("three")],
                    "the entries")
            },
            ConformanceCase(.metadata, "Metadata alone can be saved") { driver in
                try driver.commit { $0.changes.metadata = ["only": .boolean(true)] }
                try checkEqual(
                    try driver.store.metadata().userInfo, ["only": .boolean(true)], "the entries")
            },
            ConformanceCase(.metadata, "Metadata keeps values of every kind") { driver in
                var entries = SampleValues.plain
                entries["no letters \u{0} '\"]"] = .text("a\u{0}b")
                entries["limit"] = .integer(.min)
                entries["empty"] = .binary(Data())
                entries["infinite"] = .double(.infinity)
                let written = entries
                try driver.commit { $0.changes.metadata = written }
                let reader = try FidelityCases.reopenedIfDurable(driver)
                let found = try reader.store.metadata().userInfo
                for (name, value) in entries {
                    try checkEqual(found[name], value, "the entry '\(name)'")
                }
                try checkEqual(found.count, entries.count, "the number of entries")
            },
            ConformanceCase(.metadata, "Metadata names the store and its model") { driver in
                let metadata = try driver.store.metadata()
                try checkEqual(metadata.storeUUID, driver.store.handle.uuid, "the identity")
                try checkEqual(metadata.modelChecksum, driver.model.versionChecksum, "the checksum")
                try checkEqual(
                    metadata.entityVersionHashes, driver.model.entityVersionHashes, "the hashes")
                try check(!metadata.storeType.isEmpty, "the store's type has no name")
                try checkEqual(metadata.userInfo, [:], "the entries of a new store")
                let other = try StoreDriver(driver.fixture)
                try check(
                    try other.store.metadata().storeUUID != metadata.storeUUID,
                    "two stores have one identity")
            },
            ConformanceCase(
                .metadata, "Metadata is there again after closing and opening", requires: .durable
            ) { driver in
                try driver.commit {
                    try $0.insert("Disc")
                    $0.changes.metadata = ["cursor": .integer(7)]
                }
                let before = try driver.store.metadata()
                try checkEqual(try driver.reopened().store.metadata(), before, "the metadata")
            },
        ]
    }
}
