import DuramenModel
import DuramenQuery
import DuramenStore
import DuramenTestKit
import Foundation
import StoreTestSupport
import Testing

@testable import DuramenLMDB

/// Damaged files: an error or the right answer, and never the end of the process.
@Suite struct DamageTests {
    let folder = TemporaryFolder()

    /// A store with rows in several tables, long values, deleted pages, pairs and a to-one's index.
    static func makeStore(_ path: String, keepsHistory: Bool = false) throws {
        var description = PersistentStoreDescription.lmdb(path).durability(.unsafeNoSync)
        if keepsHistory { description = description.keepingHistory() }
        let store = try description.open(model: Library.model)
        let people = try store.insert(
            "Person", all: (0..<20).map { _ in ["name": .text("person")] })
        try store.insert("Poet", ["name": .text("poet"), "verse": .text("verse")])
        let tags = try store.insert(
            "Tag", all: (0..<10).map { ["label": .text(StoredText("\($0)"))] })
        let books = try store.insert(
            "Book",
            all: (0..<250).map { number in
                let count = number % 50 == 0 ? 9_000 : number % 7 * 40
                return [
                    "code": .text(StoredText("code \(number)")),
                    "title": .letters(count, "t"),
                    "author": .objectID(people[number % 20]),
                ]
            })
        try store.saved(
            ChangeSet(
                edges: [
                    EdgeChange(
                        relationship: try store.relationship("tags", of: "Book"),
                        added: books.prefix(100).enumerated().map {
                            .init(from: $1, to: tags[$0 % 10])
                        })
                ], metadata: ["note": .text("metadata"), "number": .double(.infinity)]))
        for book in books.suffix(60) { try store.delete(book) }
        _ = try contents(store)
        try store.close()
    }

    /// Everything that can be asked of a store.
    static func contents(_ store: any PersistentStore) throws -> [String] {
        var lines: [String] = []
        for entity in store.model.entities {
            let query = StoreQuery(entity: entity.id, includesSubentities: false)
            let rows = try QueryExecution(query, on: store, in: store.snapshot()).rows()
            var ids: [ManagedObjectID] = []
            for row in rows {
                ids.append(row.objectID(in: store.model, store: store.handle))
                let values = entity.layout.kinds.indices.map { slot in
                    "\(row.value(slot, entity.layout.kinds[slot]))"
                }
                lines.append("\(entity.name) \(row.key) \(row.version.rawValue) \(values)")
            }
            #expect(try store.snapshot().rows(for: ids).count == ids.count)
            for relationship in entity.toManyRelationships {
                let found = try store.snapshot().destinations(of: relationship.id, from: ids)
                lines.append("\(relationship.name) \(found.map { $0.map(\.key) })")
            }
        }
        for number in stride(from: 0, to: 250, by: 25) {
            let code = compare("code", .equal, .text(StoredText("code \(number)")))
            lines.append("code \(try store.keys(store.query("Book", code)))")
        }
        let sorted = try store.query("Book", sort: [FetchSortDescriptor("title")], limit: 300)
        lines.append("sorted \(try store.keys(sorted))")
        let history = try store.historyTracking()
        if try history.historyExtent() != nil {
            for transaction in try history.history(HistoryRequest()) {
                let changes = transaction.changes?.map {
                    "\($0.changeType) \($0.changedObjectID.key)"
                }
                lines.append("transaction \(transaction.transactionNumber) \(changes ?? [])")
            }
        }
        let metadata = try store.metadata()
        lines.append("\(metadata.userInfo.sorted { StoredText($0.key) < StoredText($1.key) })")
        return lines
    }

    private enum Damage: CaseIterable {
        case flip, byte, zeros, noise, exchanged, repeated, cut, tail
    }

    private static func damage(_ data: inout Data, _ random: inout SplitMix64) -> String {
        let page = 4_096
        let pages = data.count / page
        let kind = random.pick(Damage.allCases)
        let place = Int.random(in: 0..<data.count, using: &random)
        let first = Int.random(in: 0..<pages, using: &random) * page
        let second = Int.random(in: 0..<pages, using: &random) * page
        switch kind {
        case .flip: data[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
        case .byte:
            // Often in the head of a page or among its places of nodes.
            let near = first + Int.random(in: 0..<200, using: &random)
            data[near] = UInt8.random(in: .min ... .max, using: &random)
        case .zeros:
            data.replaceSubrange(first..<first + page, with: [UInt8](repeating: 0, count: page))
        case .noise:
            for offset in first..<first + page {
                data[offset] = UInt8.random(in: .min ... .max, using: &random)
            }
        case .exchanged:
            let bytes = Data(data[first..<first + page])
            data.replaceSubrange(first..<first + page, with: Data(data[second..<second + page]))
            data.replaceSubrange(second..<second + page, with: bytes)
        case .repeated:
            data.replaceSubrange(first..<first + page, with: Data(data[second..<second + page]))
        case .cut: data = data.prefix(place)
        case .tail: data.append(contentsOf: [UInt8](repeating: 0xA5, count: place % 9_000))
        }
        return "\(kind) at \(place), pages \(first / page) and \(second / page)"
    }

    /// A seed of 0 stands for a new one; the other one failed once.
    @Test(
        "Damaged copies are refused or read right, and no process dies of them",
        arguments: [0, 151_693_198] as [UInt64])
    func damagedCopies(seed: UInt64) async throws {
        let seed = seed == 0 ? randomSeed() : seed
        let count = repetitions(80)
        let path = folder.path
        try Self.makeStore(folder.file())
        await #expect(processExitsWith: .success) {
            [path = path as String, seed = seed as UInt64, count = count as Int] in
            var random = SplitMix64(seed: seed)
            let store = try PersistentStoreDescription.lmdb(path + "/library.lmdb").readOnly()
                .open(model: Library.model)
            let expected = try Self.contents(store)
            try store.close()
            let sound = try Data(contentsOf: URL(filePath: path + "/library.lmdb/data.mdb"))
            let copy = path + "/copy.lmdb"
            var counts: [String: Int] = [:]
            for number in 0..<count {
                try? FileManager.default.removeItem(atPath: copy)
                try FileManager.default.createDirectory(
                    atPath: copy, withIntermediateDirectories: false)
                try sound.write(to: URL(filePath: copy + "/data.mdb"))
                var data = sound
                var what = "seed \(seed), number \(number): \(Self.damage(&data, &random))"
                if data.count == sound.count, Bool.random(using: &random) {
                    // The mark says that the file is as its last user left it.
                    what += ", marked"
                    CheckMark.leave(
                        try StoreFolder(copy), checkTime: Date().timeIntervalSinceReferenceDate)
                    try rot(copy + "/data.mdb") { $0 = data }
                } else {
                    try data.write(to: URL(filePath: copy + "/data.mdb"))
                }
                // Read by the test when this process dies.
                try writeFile(path + "/progress", what)
                do {
                    let store = try Library.open(copy, .unsafeNoSync)
                    defer { try? store.close() }
                    let found = try Self.contents(store)
                    if found != expected {
                        let lines = zip(found, expected).first { $0 != $1 }
                        try writeFile(path + "/progress", "\(what): \(lines as Any)")
                        throw StoreError(.io, "a wrong answer: \(what)")
                    }
                    try store.insert("Tag")
                    counts["right", default: 0] += 1
                } catch let error as StoreError where error.code != .io {
                    counts[error.code.rawValue, default: 0] += 1
                }
            }
            try writeFile(path + "/progress", "all: \(counts)")
            guard counts["damagedFile", default: 0] > count / 4, counts["right"] ?? 0 > count / 20
            else { throw StoreError(.io, "\(counts)") }
        }
        let progress = try String(contentsOfFile: folder.file("progress"), encoding: .utf8)
        print(progress)
        #expect(progress.hasPrefix("all: "))
    }

    @Test("Any number of a head page may have any value")
    func damagedHeads() async throws {
        let path = folder.path
        try Self.makeStore(folder.file())
        await #expect(processExitsWith: .success) { [path = path as String] in
            let sound = try Data(contentsOf: URL(filePath: path + "/library.lmdb/data.mdb"))
            let copy = path + "/copy.lmdb"
            let values: [UInt64] = [
                0, 1, 1 << 16, 1 << 48, 1 << 51, 1 << 52, 1 << 62, 1 << 63, .max >> 1, .max - 1,
                .max,
            ]
            var refused = 0
            var tried = 0
            for place in stride(from: 0, to: MetaPage.byteCount, by: 8) {
                for value in values {
                    try? FileManager.default.removeItem(atPath: copy)
                    try FileManager.default.createDirectory(
                        atPath: copy, withIntermediateDirectories: false)
                    var data = sound
                    let bytes = withUnsafeBytes(of: value.littleEndian) { Data($0) }
                    for page in [0, 4_096] {
                        data.replaceSubrange(page + place..<page + place + 8, with: bytes)
                    }
                    try data.write(to: URL(filePath: copy + "/data.mdb"))
                    // Read by the test when this process dies.
                    try writeFile(path + "/progress", "\(place): \(value)")
                    tried += 1
                    do {
                        let store = try Library.open(copy, .unsafeNoSync)
                        defer { try? store.close() }
                        _ = try Self.contents(store)
                        try store.insert("Tag")
                    } catch let error as StoreError
                        where [.damagedFile, .foreignFile].contains(error.code)
                    {
                        refused += 1
                    }
                }
            }
            try writeFile(path + "/progress", "all: \(refused) of \(tried)")
            if refused < tried / 2 { throw StoreError(.io, "only \(refused) of \(tried)") }
        }
        let progress = try String(contentsOfFile: folder.file("progress"), encoding: .utf8)
        print(progress)
        #expect(progress.hasPrefix("all: "))
    }

    @Test(
        "Of two head pages with one number the first counts, as for the engine, if it has an even one"
    )
    func equalHeadPages() throws {
        try Self.makeStore(folder.file())
        let place = try StoreFolder(folder.file())
        let url = URL(filePath: place.data)
        let sound = try Data(contentsOf: url)
        let numbers = [sound[144], sound[4_096 + 144]]
        let newer = numbers[0] > numbers[1] ? 0 : 4_096
        // Both pages say the same, but for their own numbers.
        var equal = sound
        equal.replaceSubrange(
            4_096 - newer + 8..<4_096 - newer + 152, with: sound[newer + 8..<newer + 152])
        try equal.write(to: url)
        if numbers.max().map({ $0 & 1 == 1 }) == true {
            #expect(storeErrorCode { try StructureCheck.checkAll(place) } == .damagedFile)
            return
        }
        try StructureCheck.checkAll(place)
        for (page, isSound) in [(0, false), (4_096, true)] {
            var data = equal
            // The first page of the main table.
            data[page + 128 + 4] ^= 1
            try data.write(to: url)
            let code = storeErrorCode { try StructureCheck.checkAll(place) }
            #expect(code == (isSound ? nil : .damagedFile))
        }
    }

    @Test("Every flipped bit of a row's record is found")
    func flippedRows() throws {
        try Self.makeStore(folder.file())
        let store = try Library.open(folder.file())
        let entity = try store.entity("Poet")
        let row = try store.row(
            "Poet", key: 9, ["name": .text("a name"), "verse": .text("a verse")])
        let count = RowRecord.byteCount(row, entity.layout)
        let record = UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: 8)
        defer { record.deallocate() }
        RowRecord.write(
            row, entity.layout, version: RowVersion(rawValue: 3), schema: 0, to: record)
        #expect(RowRecord.head(UnsafeRawBufferPointer(record), key: 9)?.row.key == 9)
        #expect(RowRecord.head(UnsafeRawBufferPointer(record), key: 8) == nil)
        for bit in 0..<count * 8 {
            record[bit / 8] ^= 1 << UInt8(bit % 8)
            #expect(RowRecord.head(UnsafeRawBufferPointer(record), key: 9) == nil, "bit \(bit)")
            record[bit / 8] ^= 1 << UInt8(bit % 8)
        }
        for length in 0..<count {
            let part = UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(record)[..<length])
            #expect(RowRecord.head(part, key: 9) == nil)
        }
        try store.close()
    }

    @Test("A flipped bit of a stored value is an error, wherever the value is read")
    func flippedValues() throws {
        let path = folder.file()
        let identifier = UUID()
        let first = try Library.open(path)
        let id = try first.insert("Tag", ["label": .text("a label to be found")])
        try first.insert("Book", ["code": .text("code to be found"), "title": .text("title")])
        try first.saved(
            ChangeSet(identifier: identifier, metadata: ["name": .text("entry to be found")]))
        #expect(try first.generation(ofSave: identifier)?.rawValue == 3)
        try first.close()
        let url = URL(filePath: path + "/data.mdb")
        let sound = try Data(contentsOf: url)
        let saved = withUnsafeBytes(of: identifier.uuid) { Data($0) }
        let places: [(String, Data, (any PersistentStore) throws -> Void)] = [
            ("label", Data("a label to be found".utf8), { _ = try $0.value(id, "label") }),
            (
                "row", Data("code to be found".utf8),
                { _ = try $0.keys($0.query("Book", compare("title", .equal, .text("title")))) }
            ),
            ("metadata", Data("entry to be found".utf8), { _ = try $0.metadata() }),
            ("save", saved, { _ = try $0.generation(ofSave: identifier) }),
        ]
        for (name, bytes, use) in places {
            let ranges = Self.ranges(of: bytes, in: sound)
            #expect(!ranges.isEmpty, "\(name)")
            for range in ranges {
                for offset in range where offset % 3 == 0 {
                    var data = sound
                    data[offset] ^= 1 << UInt8(offset % 8)
                    try data.write(to: url)
                    let code = storeErrorCode {
                        let store = try Library.open(path)
                        defer { try? store.close() }
                        try use(store)
                        // Pages of earlier states hold the bytes too.
                        if ranges.count > 1 { throw StoreError(.closed, "not in use") }
                    }
                    #expect(
                        code == .damagedFile || ranges.count > 1 && code == .closed,
                        "\(name) at \(offset)")
                }
            }
        }
        try sound.write(to: url)
        let again = try Library.open(path)
        #expect(try again.value(id, "label") == .text("a label to be found"))
        try again.close()
    }

    static func ranges(of bytes: Data, in data: Data) -> [Range<Int>] {
        var found: [Range<Int>] = []
        var start = data.startIndex
        while let range = data.range(of: bytes, in: start..<data.endIndex) {
            found.append(range)
            start = range.upperBound
        }
        return found
    }
}
