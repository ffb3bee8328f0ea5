import CSQLite
import Duramen
import DuramenMemory
import DuramenTestKit
import Foundation
import StoreTestSupport
import Testing

/// What is copied of damaged stores.
struct SalvageTests {
    private static let model: ManagedObjectModel = {
        do {
            return try ManagedObjectModel([
                EntityDescription(
                    name: "Author", attributes: [AttributeDescription("name", .string)],
                    relationships: [.toMany("books", destination: "Book", inverse: "author")],
                    uniquenessConstraints: [["name"]]),
                EntityDescription(
                    name: "Book",
                    attributes: [
                        AttributeDescription("title", .string),
                        AttributeDescription("number", .integer64),
                        AttributeDescription(
                            "cover", .binaryData, isOptional: true,
                            allowsExternalBinaryDataStorage: true),
                    ],
                    relationships: [
                        .toOne("author", destination: "Author", inverse: "books"),
                        .toMany("tags", destination: "Tag", inverse: "books"),
                    ], uniquenessConstraints: [["number"]]),
                EntityDescription(
                    name: "Tag", attributes: [AttributeDescription("label", .string)],
                    relationships: [
                        .toMany("books", destination: "Book", inverse: "tags", isOrdered: true)
                    ]),
            ])
        } catch {
            fatalError("\(error)")
        }
    }()

    private static let books = FetchRequest<ManagedObject>(entityName: "Book")

    private static func fill(_ store: PersistentStoreDescription) throws {
        let container = try PersistentContainer.open(model: model, stores: [store])
        try container.saveElsewhere { context in
            let authors = try (0..<40).map { number in
                let author = context.insert("Author", [:])
                try author.setValue("Author \(number)", forKey: "name")
                return author
            }
            let tags = try (0..<10).map { number in
                let tag = context.insert("Tag", [:])
                try tag.setValue("tag \(number)", forKey: "label")
                return tag
            }
            for number in 0..<1_000 {
                let book = context.insert("Book", [:])
                try book.setValue(
                    "The title of book \(number), which is rather long", forKey: "title")
                try book.setValue(number, forKey: "number")
                try book.setValue(authors[number % 40], forKey: "author")
                try book.setValue([tags[number % 10], tags[(number + 3) % 10]], forKey: "tags")
                if number % 250 == 0 {
                    try book.setValue(Data(repeating: 7, count: 300_000), forKey: "cover")
                }
            }
        }
        try container.close()
    }

    /// Fails unless a rescued store is sound and has nothing but what was there.
    private static func check(
        _ rescued: PersistentStoreDescription, _ comment: Comment
    ) throws -> Int {
        let container = try PersistentContainer.open(model: model, stores: [rescued])
        defer { try? container.close() }
        #expect(try container.verify().isEmpty, comment)
        let context = container.makeContext()
        var count = 0
        for book in try context.fetch(books) {
            let number = try book.value(forKey: "number") as? Int64 ?? -1
            let title = try book.value(forKey: "title") as? String ?? ""
            #expect(title == "The title of book \(number), which is rather long", comment)
            if let author = try book.value(forKey: "author") as? ManagedObject {
                #expect(
                    try author.value(forKey: "name") as? String == "Author \(number % 40)", comment)
            }
            if let cover = try book.value(forKey: "cover") as? Data {
                #expect(cover == Data(repeating: 7, count: 300_000), comment)
            }
            count += 1
        }
        return count
    }

    private static func dataFile(_ store: PersistentStoreDescription, _ kind: StoreKind) -> String {
        kind == .sqlite ? store.location : store.location + "/data.mdb"
    }

    @Test(arguments: [StoreKind.sqlite, .lmdb], [StoreKind.sqlite, .lmdb])
    func aSoundStoreIsCopiedWhole(kind: StoreKind, other: StoreKind) throws {
        let store = kind.description
        try Self.fill(store)
        let report = try store.salvage(into: other.description)
        #expect(report.losses.isEmpty)
        let opened = try store.readOnly().open(model: Self.model)
        let expected = try StoreChecksums(reading: opened.snapshot(), of: opened)
        #expect(report.checksums == expected)
        try opened.close()
    }

    /// Pages are overwritten, and the file is cut, at random.
    @Test(arguments: [StoreKind.sqlite, .lmdb])
    func whatIsReadOfADamagedStoreIsRight(kind: StoreKind) throws {
        let template = kind.description
        try Self.fill(template)
        let path = Self.dataFile(template, kind)
        let whole = try Data(contentsOf: URL(filePath: path))
        var rescuedBooks = 0
        for seed in longWorkloadSeeds(12) {
            var generator = SplitMix64(seed: seed)
            var bytes = whole
            let pages = bytes.count / 4_096
            for _ in 0..<Int.random(in: 1...3, using: &generator) {
                // The first pages have the list of tables, without which nothing can be read.
                let page = Int.random(in: pages / 8..<pages, using: &generator)
                switch Int.random(in: 0..<3, using: &generator) {
                case 0:
                    bytes.replaceSubrange(
                        page * 4_096..<(page + 1) * 4_096, with: Data(count: 4_096))
                case 1:
                    for _ in 0..<40 {
                        let index = page * 4_096 + Int.random(in: 0..<4_096, using: &generator)
                        bytes[index] = UInt8.random(in: 0...255, using: &generator)
                    }
                default:
                    let other = Int.random(in: pages / 8..<pages, using: &generator)
                    bytes.replaceSubrange(
                        page * 4_096..<(page + 1) * 4_096,
                        with: Data(bytes[other * 4_096..<(other + 1) * 4_096]))
                }
            }
            if seed % 4 == 0 {
                bytes.removeLast(4_096 * Int.random(in: 1...pages / 4, using: &generator))
            }
            try bytes.write(to: URL(filePath: path))
            let rescued = kind.description
            do {
                let report = try template.salvage(into: rescued, model: Self.model)
                // Random bytes in a row of SQLite can look like a good value.
                if kind == .lmdb {
                    rescuedBooks += try Self.check(rescued, "DURAMEN_SEED=\(seed)")
                } else {
                    let container = try PersistentContainer.open(
                        model: Self.model, stores: [rescued])
                    #expect(try container.verify().isEmpty, "DURAMEN_SEED=\(seed)")
                    rescuedBooks += try container.makeContext().count(for: Self.books)
                    try container.close()
                }
                #expect(Set(report.losses).count == report.losses.count, "DURAMEN_SEED=\(seed)")
                try rescued.destroyStore()
            } catch let error as StoreError {
                #expect(error.code == .damagedFile, "DURAMEN_SEED=\(seed) \(error)")
            }
            try whole.write(to: URL(filePath: path))
        }
        #expect(rescuedBooks > 1_000)
    }

    /// The end of a file is lost when a disk is full or a copy is interrupted.
    @Test(arguments: [StoreKind.sqlite, .lmdb])
    func aFileThatIsCutShortIsReadAsFarAsItGoes(kind: StoreKind) throws {
        let store = kind.description
        try Self.fill(store)
        let file = URL(filePath: Self.dataFile(store, kind))
        let whole = try Data(contentsOf: file)
        // Pages that LMDB wrote last have its newest state.
        let pages = kind == .sqlite ? [1, 2, 5, 20] : [1]
        var found = 0
        for lost in pages {
            try whole.dropLast(lost * 4_096).write(to: file)
            let rescued = kind.description
            do {
                let report = try store.salvage(into: rescued, model: Self.model)
                let count = try Self.check(rescued, "\(lost) pages")
                // The pages may be free ones, or of an index.
                #expect(count == 1_000 || !report.losses.isEmpty)
                found = max(found, count)
            } catch let error as StoreError {
                #expect(kind == .lmdb && error.code == .damagedFile, "\(error)")
            }
        }
        if kind == .sqlite { #expect(found > 900) }
    }

    /// Damage makes keys that no object has, and one that seems to end the table.
    @Test(arguments: [
        "UPDATE ZBOOK SET ZAUTHOR = -3 WHERE Z_PK = 10",
        "UPDATE ZBOOK SET ZAUTHOR = 'x' WHERE Z_PK = 10",
        "UPDATE ZBOOK SET Z_PK = -7 WHERE Z_PK = 10",
        "UPDATE ZBOOK SET Z_PK = 1125899906842624 WHERE Z_PK = 10",
        "UPDATE ZBOOK SET Z_ENT = 99 WHERE Z_PK = 10",
    ])
    func keysThatCannotBeKeepNothingElseBack(sql: String) throws {
        let store = StoreKind.sqlite.description
        try Self.fill(store)
        try Self.run(store.location, sql)
        let rescued = StoreKind.sqlite.description
        _ = try store.salvage(into: rescued)
        #expect(try Self.check(rescued, Comment(rawValue: sql)) >= 999)
    }

    private static func run(_ path: String, _ sql: String) throws {
        var handle: OpaquePointer?
        defer { sqlite3_close_v2(handle) }
        try #require(sqlite3_open_v2(path, &handle, SQLITE_OPEN_READWRITE, nil) == SQLITE_OK)
        try #require(sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK)
    }

    /// Nothing is removed that was there before.
    @Test(arguments: [StoreKind.sqlite, .lmdb])
    func aDamagedStoreIsNoPlaceForARescuedOne(kind: StoreKind) throws {
        let store = kind.description
        try Self.fill(store)
        let other = kind.description
        try Self.fill(other)
        let file = URL(filePath: Self.dataFile(store, kind))
        var bytes = try Data(contentsOf: file)
        for page in 2..<bytes.count / 4_096 {
            bytes.replaceSubrange(page * 4_096 + 8..<page * 4_096 + 40, with: Data(count: 32))
        }
        try bytes.write(to: file)
        #expect(throws: StoreError.self) { try store.salvage(into: store, model: Self.model) }
        #expect(throws: StoreError.self) { try other.salvage(into: store, model: Self.model) }
        #expect(try Data(contentsOf: file) == bytes)
        #expect(try Self.check(other, "") == 1_000)
    }

    @Test(arguments: [StoreKind.sqlite, .lmdb])
    func aLargeValueThatIsAlteredBecomesNil(kind: StoreKind) throws {
        let store = kind.description
        try Self.fill(store)
        let folder = (store.location as NSString).deletingLastPathComponent
        let name = (store.location as NSString).lastPathComponent
        let all = FileManager.default.enumerator(atPath: folder)?.compactMap { $0 as? String } ?? []
        let value = try #require(
            all.first {
                $0.contains(name) && UUID(uuidString: ($0 as NSString).lastPathComponent) != nil
            })
        try Data(repeating: 8, count: 300_000).write(to: URL(filePath: folder + "/" + value))
        let rescued = kind.description
        let report = try store.salvage(into: rescued)
        #expect(report.losses.count == 1)
        let count = try Self.check(rescued, "")
        #expect(count == 1_000)
    }

    @Test func aStoreThatIsOpenOrElsewhereIsLeftAlone() throws {
        let store = StoreKind.sqlite.description
        try Self.fill(store)
        let container = try PersistentContainer.open(model: Self.model, stores: [store])
        let rescued = StoreKind.lmdb.description
        let busy = #expect(throws: StoreError.self) { try store.salvage(into: rescued) }
        #expect(busy?.code == .storeBusy)
        try container.close()
        _ = try store.salvage(into: rescued)
        let taken = #expect(throws: StoreError.self) { try store.salvage(into: rescued) }
        #expect(taken?.code == .invalidRequest)
        #expect(try Self.check(rescued, "") == 1_000)
        let memory = #expect(throws: StoreError.self) {
            try PersistentStoreDescription.memory().salvage(into: rescued)
        }
        #expect(memory?.code == .unsupported)
    }
}
