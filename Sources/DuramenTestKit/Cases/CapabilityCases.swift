import DuramenModel
import DuramenStore

/// Law 7: undeclared capabilities are refused, declared ones kept.
enum CapabilityCases {
    static var all: [ConformanceCase] {
        [
            ConformanceCase(.capabilities, "Housekeeping that is not declared is refused") {
                driver in
                if driver.store.capabilities.contains(.maintenance) { return }
                try check(
                    !(driver.store is any MaintainingStore),
                    "the store conforms without declaring it")
                try checkThrows(.unsupported, "undeclared housekeeping") {
                    try driver.store.maintainIfCapable()
                }
            },
            ConformanceCase(
                .capabilities, "Declared housekeeping works and changes nothing",
                requires: .maintenance
            ) { driver in
                try check(
                    driver.store is any MaintainingStore,
                    "the store declares what it does not conform to")
                _ = try Library(driver)
                let before = try driver.contents()
                let metadata = try driver.store.metadata()
                for _ in 0..<3 {
                    try driver.store.maintainIfCapable()
                    try checkSame(try driver.contents(), before, "the store after housekeeping")
                }
                try checkEqual(
                    try driver.store.metadata(), metadata, "the metadata after housekeeping")
                _ = try driver.insert("Disc")
                try driver.store.maintainIfCapable()
            },
            ConformanceCase(
                .capabilities, "Housekeeping goes on beside open snapshots", requires: .maintenance
            ) { driver in
                let library = try Library(driver)
                let snapshot = try driver.store.snapshot()
                let before = try driver.contents(in: snapshot)
                try driver.commit { try $0.delete(library.book) }
                try driver.store.maintainIfCapable()
                try checkSame(try driver.contents(in: snapshot), before, "the open snapshot")
            },
            ConformanceCase(.capabilities, "Only capabilities that exist are declared") { driver in
                let known: StoreCapabilities = [
                    .durable, .maintenance, .batches, .history, .changeObservation,
                    .derivedAttributes, .schemaMigration, .groupSaves,
                ]
                try check(
                    known.isSuperset(of: driver.store.capabilities),
                    "the store declares capability bits \(driver.store.capabilities.rawValue)")
            },
            ConformanceCase(.capabilities, "Capabilities do not change while a store is open") {
                driver in
                let before = driver.store.capabilities
                let library = try Library(driver)
                try checkEqual(driver.store.capabilities, before, "the capabilities after a save")
                _ = try driver.conflicts { try $0.insert("Disc", ["code": .text("b1")]) }
                try driver.commit { try $0.delete(library.book) }
                try checkEqual(
                    driver.store.capabilities, before, "the capabilities after a conflict")
            },
            ConformanceCase(
                .capabilities, "What is saved is there again after closing and opening",
                requires: .durable
            ) { driver in
                let library = try Library(driver)
                try driver.commit {
                    try $0.delete(library.disc)
                    $0.relate("Item.tags", library.novel, library.blueTag)
                }
                let before = try driver.contents()
                let generation = try driver.store.snapshot().generation
                let again = try driver.reopened()
                try checkEqual(again.store.handle, driver.store.handle, "the store's identity")
                try checkSame(try again.contents(), before, "the reopened store")
                try check(
                    try again.store.snapshot().generation >= generation, "the generation fell")
                try checkSame(
                    try again.reopened().contents(), before, "the store reopened twice")
            },
            ConformanceCase(
                .capabilities, "Only what was committed is there after opening", requires: .durable
            ) { driver in
                let library = try Library(driver)
                let before = try driver.contents()
                let stale = try driver.existingRow(library.book)
                try driver.commit { try $0.update(library.book, ["rank": .integer(2)]) }
                try driver.commit { try $0.update(library.book, ["rank": .integer(1)]) }
                _ = try driver.conflicts { draft in
                    draft.update(stale, ["label": .text("lost")])
                    try draft.insert("Tag", ["name": .text("lost")])
                }
                let again = try driver.reopened()
                let after = try again.contents()
                try checkEqual(
                    after.records.keys.sorted(), before.records.keys.sorted(), "the rows")
                try checkEqual(
                    after.records[library.book]?.values, before.records[library.book]?.values,
                    "the row in conflict")
            },
            ConformanceCase(.capabilities, "A closed store says so, and closing twice does nothing")
            {
                driver in
                _ = try Library(driver)
                try driver.store.close()
                try driver.store.close()
                try checkThrows(.closed, "a snapshot of a closed store") {
                    try driver.store.snapshot()
                }
                try checkThrows(.closed, "a save to a closed store") {
                    try driver.store.save(ChangeSet(metadata: ["a": .integer(1)]))
                }
                try checkThrows(.closed, "keys of a closed store") {
                    try driver.store.allocateKeys(1, for: driver.entity("Tag").id)
                }
            },
        ]
    }
}
