import DuramenModel
import DuramenStore

/// Law 3: a saved row gets a version that it never had.
enum VersionCases {
    static var all: [ConformanceCase] {
        [
            ConformanceCase(
                .versions, "The receipt has a version for every inserted and updated row"
            ) {
                driver in
                let library = try Library(driver)
                let receipt = try driver.commit { draft in
                    for number in 0..<3 {
                        try draft.insert("Disc", ["rank": .integer(Int64(number))])
                    }
                    try draft.update(library.book, ["rank": .integer(3)])
                    try draft.update(library.novel, ["rank": .integer(4)])
                    try draft.delete(library.disc)
                }
                try checkEqual(receipt.insertedVersions.count, 3, "versions of inserted rows")
                try checkEqual(receipt.updatedVersions.count, 2, "versions of updated rows")
            },
            ConformanceCase(.versions, "Stored rows have the versions of the receipt, in its order")
            {
                driver in
                var ids: [ManagedObjectID] = []
                for number in 0..<6 {
                    ids.append(try driver.insert("Disc", ["rank": .integer(Int64(number))]))
                    for round in 0..<number {
                        try driver.commit {
                            try $0.update(ids[number], ["minutes": .double(Double(round))])
                        }
                    }
                }
                var draft = driver.draft()
                for id in ids.reversed() { try draft.update(id, ["label": .text("new")]) }
                let inserted = [try draft.insert("Novel"), try draft.insert("Tag")]
                let receipt = try driver.commit(draft)
                for (id, version) in zip(ids.reversed(), receipt.updatedVersions) {
                    try checkEqual(
                        try driver.existingRow(id).version, version, "an updated version")
                }
                for (id, version) in zip(inserted, receipt.insertedVersions) {
                    try checkEqual(
                        try driver.existingRow(id).version, version, "an inserted version")
                }
            },
            ConformanceCase(.versions, "The versions of a receipt are the next base versions") {
                driver in
                let id = try driver.insert("Disc")
                var row = try driver.existingRow(id)
                for number in 0..<5 {
                    var draft = driver.draft()
                    draft.update(row, ["rank": .integer(Int64(number))])
                    let receipt = try driver.commit(draft)
                    let values: PropertyValues = ["rank": .integer(Int64(number))]
                    row = RowCoding.row(
                        values, of: driver.entity("Disc"), key: id.key,
                        version: receipt.updatedVersions.first ?? .unsaved, in: driver.model)
                }
                var draft = driver.draft()
                draft.delete(row)
                try driver.commit(draft)
            },
            ConformanceCase(.versions, "No two states of a row have the same version") { driver in
                let id = try driver.insert("Sample", SampleValues.plain)
                var versions = [try driver.existingRow(id).version]
                for number in 0..<20 {
                    try driver.commit { try $0.update(id, ["small": .integer(Int64(number % 2))]) }
                    versions.append(try driver.existingRow(id).version)
                }
                try checkEqual(Set(versions).count, versions.count, "the number of versions")
                try check(
                    !versions.contains(.unsaved), "a saved row has the version of unsaved rows")
            },
            ConformanceCase(.versions, "A row that is not saved keeps its version") { driver in
                let library = try Library(driver)
                let before = try driver.contents()
                try driver.commit { draft in
                    try draft.update(library.book, ["rank": .integer(5)])
                    try draft.insert("Disc")
                    draft.relate("Item.tags", library.disc, library.redTag)
                }
                let after = try driver.contents()
                for (id, record) in before.records where id != library.book {
                    try checkEqual(
                        after.records[id]?.version, record.version,
                        "the version of an untouched row")
                }
            },
            ConformanceCase(
                .versions, "A row inserted under an old key gets a version it never had"
            ) {
                driver in
                let id = try driver.insert("Disc", ["label": .text("first life")])
                var versions: Set = [try driver.existingRow(id).version]
                for life in 0..<4 {
                    for number in 0..<life {
                        try driver.commit { try $0.update(id, ["rank": .integer(Int64(number))]) }
                        versions.insert(try driver.existingRow(id).version)
                    }
                    try driver.commit { try $0.delete(id) }
                    _ = try driver.insert("Disc", ["label": .text("next life")], key: id.key)
                    let version = try driver.existingRow(id).version
                    try check(
                        versions.insert(version).inserted, "version \(version.rawValue) came again")
                }
            },
            ConformanceCase(.versions, "A base from before a key was used again conflicts") {
                driver in
                let id = try driver.insert("Tag", ["name": .text("first")])
                var bases = [try driver.existingRow(id)]
                try driver.commit { try $0.update(id, ["name": .text("changed")]) }
                bases.append(try driver.existingRow(id))
                try driver.commit { try $0.delete(id) }
                _ = try driver.insert("Tag", ["name": .text("second")], key: id.key)
                try driver.commit { try $0.update(id, ["name": .text("second, changed")]) }
                for base in bases {
                    _ = try driver.conflicts { $0.update(base, ["name": .text("stale")]) }
                    _ = try driver.conflicts { $0.delete(base) }
                }
                try checkEqual(
                    try driver.values(id)?["name"], .text("second, changed"), "the row at last")
            },
            ConformanceCase(.versions, "Versions survive closing and opening", requires: .durable) {
                driver in
                let library = try Library(driver)
                let stale = try driver.existingRow(library.book)
                try driver.commit { try $0.update(library.book, ["rank": .integer(50)]) }
                let before = try driver.contents()
                let reader = try driver.reopened()
                try checkSame(try reader.contents(), before, "the reopened store")
                _ = try reader.conflicts { $0.update(stale, ["rank": .integer(51)]) }
                let version = try reader.existingRow(library.book).version
                try reader.commit { try $0.update(library.book, ["rank": .integer(52)]) }
                let next = try reader.existingRow(library.book).version
                try check(next != version && next != stale.version, "a version came again")
            },
        ]
    }
}
