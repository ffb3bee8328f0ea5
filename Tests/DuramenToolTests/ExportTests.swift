import DuramenLMDB
import DuramenModel
import DuramenSQLite
import DuramenStore
import DuramenTestKit
import Foundation
import StoreTestSupport
import Testing

/// `duramen export` and `duramen import`
@Suite struct ExportTests {
    private let folder = TemporaryFolder()

    /// Members with orders on both sides, values that JSON does not have, and words that lines use.
    private static let model = testModel([
        EntityDescription(
            name: "Song",
            attributes: [
                AttributeDescription("id", .string),
                AttributeDescription("seconds", .double, isOptional: true),
                AttributeDescription("gain", .float, isOptional: true),
                AttributeDescription("price", .decimal, isOptional: true),
                AttributeDescription("released", .date, isOptional: true),
                AttributeDescription("plays", .integer64, isOptional: true),
                .composite(
                    "size", elements: [AttributeDescription("bytes", .integer64, isOptional: true)]),
                AttributeDescription(
                    "cover", .binaryData, isOptional: true, allowsExternalBinaryDataStorage: true),
                AttributeDescription("secret", .string, isOptional: true, isConfidential: true),
            ],
            relationships: [
                .toMany("lists", destination: "List", inverse: "songs", isOrdered: true),
                .toMany("tags", destination: "Tag", inverse: "songs"),
                .toOne("album", destination: "Album", inverse: "songs"),
            ], uniquenessConstraints: [["id"]]),
        EntityDescription(name: "Single", superentity: "Song"),
        EntityDescription(
            name: "List", attributes: [AttributeDescription("name", .string)],
            relationships: [
                .toMany("songs", destination: "Song", inverse: "lists", isOrdered: true)
            ]),
        EntityDescription(
            name: "Tag", attributes: [AttributeDescription("label", .string)],
            relationships: [.toMany("songs", destination: "Song", inverse: "tags")],
            uniquenessConstraints: [["label"]]),
        EntityDescription(
            name: "Album", attributes: [AttributeDescription("title", .string)],
            relationships: [
                .toMany("songs", destination: "Song", inverse: "album", isOrdered: true)
            ]),
    ])

    /// Makes a store of random objects.
    private func makeStore(
        _ description: PersistentStoreDescription, _ generator: inout SplitMix64
    ) throws {
        let store = try description.open(model: Self.model)
        let albums = try store.insert(
            "Album", all: (0..<3).map { ["title": .text(StoredText("album \($0)"))] })
        let tags = try store.insert(
            "Tag", all: (0..<5).map { ["label": .text(StoredText("tag \($0)"))] })
        let lists = try store.insert(
            "List", all: (0..<4).map { ["name": .text(StoredText("list \($0)"))] })
        let doubles: [Double] = [
            0, -1.5, .infinity, -.infinity, .nan, .greatestFiniteMagnitude, .leastNonzeroMagnitude,
            0.1,
        ]
        var songs: [ManagedObjectID] = []
        for number in 0..<30 {
            var values: [String: StoredValue] = [
                "id": .text(StoredText("song \(number) \u{1}é\u{2028}"))
            ]
            values["seconds"] = .double(doubles.randomElement(using: &generator) ?? 0)
            values["gain"] = .double(Double(Float.random(in: -9...9, using: &generator)))
            values["price"] = .decimal(Decimal(string: "12345678901234567890.123456789") ?? 0)
            values["released"] = .date(
                Date(timeIntervalSinceReferenceDate: .random(in: -1e11...1e11, using: &generator)))
            values["plays"] = .integer(.random(in: .min ... .max, using: &generator))
            values["size.bytes"] = .integer(Int64(number))
            values["secret"] = .text("hidden")
            if number % 7 == 0 {
                values["cover"] = .binary(Data((0..<200_000).map { UInt8(truncatingIfNeeded: $0) }))
            }
            if number % 3 > 0 {
                values["album"] = .objectID(albums[number % 3])
                values["album.order"] = .integer(Int64(1_000 - number))
            }
            songs.append(
                try store.insert(number % 4 == 0 ? "Single" : "Song", values))
        }
        let song = try #require(Self.model.entity(named: "Song"))
        func relationship(_ name: String) throws -> RelationshipID {
            try #require(song.relationships.first { $0.name == name }).id
        }
        var ordered = EdgeChange(relationship: try relationship("lists"))
        var plain = EdgeChange(relationship: try relationship("tags"))
        for (index, id) in songs.enumerated() {
            for list in lists where Bool.random(using: &generator) {
                ordered.added.append(
                    .init(
                        from: id, to: list, order: .random(in: 1...99, using: &generator),
                        inverseOrder: Int64(index)))
            }
            for tag in tags where Bool.random(using: &generator) {
                plain.added.append(.init(from: id, to: tag))
            }
        }
        try store.saved(ChangeSet(edges: [ordered, plain], metadata: ["made by": .text("test")]))
        try store.close()
    }

    @Test("The import of an export is an equal store, whatever its kind")
    func roundTrips() throws {
        for seed in workloadSeeds(3) {
            var generator = SplitMix64(seed: seed)
            let (source, exported) = (folder.file("a\(seed).sqlite"), folder.file("export\(seed)"))
            try makeStore(.sqlite(source), &generator)
            let export = try Tool("export", source, exported, "--show-confidential")
            #expect(export.status == 0 && export.errors == "", "DURAMEN_SEED=\(seed)")
            #expect(try Tool("verify", source).output.hasPrefix(export.output))
            for kind in ["sqlite", "lmdb"] {
                let copy = "\(kind):" + folder.file("b\(seed).\(kind)")
                let imported = try Tool("import", copy, exported)
                #expect(imported.status == 0 && imported.errors == "", "DURAMEN_SEED=\(seed)")
                #expect(imported.output == export.output, "DURAMEN_SEED=\(seed)")
                let verified = try Tool("verify", copy)
                #expect(verified.output == export.output, "DURAMEN_SEED=\(seed)")
            }
        }
    }

    @Test("Confidential values are left out, and the note says so")
    func confidentialValuesAreLeftOut() throws {
        var generator = SplitMix64(seed: 1)
        let (source, exported) = (folder.file("a.lmdb"), folder.file("export"))
        try makeStore(.lmdb(source), &generator)
        let export = try Tool("export", source, exported)
        #expect(export.status == 0 && export.errors.contains("Single.secret, Song.secret"))
        let lines = try String(contentsOfFile: exported + "/Song.jsonl", encoding: .utf8)
        #expect(!lines.contains("hidden"))
        let imported = try Tool("import", "sqlite:" + folder.file("b.sqlite"), exported)
        #expect(imported.status == 0)
    }

    @Test("A file of an export is imported by natural keys, and the second time nothing changes")
    func oneFileIsImported() throws {
        var generator = SplitMix64(seed: 2)
        let (source, exported) = (folder.file("a.sqlite"), folder.file("export"))
        try makeStore(.sqlite(source), &generator)
        #expect(try Tool("export", source, exported).status == 0)
        let again = try Tool(
            "import", source, exported + "/Tag.jsonl", "--entity", "Tag", "--match", "label")
        #expect(again.status == 0)
        #expect(
            again.output.split(separator: "\n").last?.drop { $0 == " " }
                == "Tag          0        0          5")
    }

    @Test("A changed export, a full store and a wrong folder are refused")
    func otherFoldersAreRefused() throws {
        var generator = SplitMix64(seed: 3)
        let (source, exported) = (folder.file("a.sqlite"), folder.file("export"))
        try makeStore(.sqlite(source), &generator)
        #expect(try Tool("export", source, exported).status == 0)
        #expect(try Tool("export", source, exported).errors.contains("name a free path"))
        let full = try Tool("import", source, exported)
        #expect(full.status != 0 && full.errors.contains("has objects of"))

        let tags = exported + "/Tag.jsonl"
        let lines = try String(contentsOfFile: tags, encoding: .utf8)
        for (damaged, problem) in [
            (lines.replacing("tag 1", with: "tag 9"), "not those that were exported"),
            (lines.replacing("\"Tag/1\"", with: "\"Tag/one\""), "no '@id'"),
            (lines + "{", "Export again"), ("", "not those that were exported"),
        ] {
            try writeFile(tags, damaged)
            let copy = folder.file("copy.lmdb")
            let refused = try Tool("import", "lmdb:" + copy, exported)
            #expect(refused.status != 0 && refused.errors.contains(problem), "\(refused.errors)")
            #expect(!FileManager.default.fileExists(atPath: copy))
        }
        // Nor is anything written to an empty store that was there.
        let empty = PersistentStoreDescription.lmdb(folder.file("empty.lmdb"))
        try empty.open(model: Self.model).close()
        try writeFile(tags, lines + "{")
        #expect(try Tool("import", "lmdb:" + empty.location, exported).status != 0)
        try writeFile(tags, lines)
        #expect(try Tool("import", "lmdb:" + empty.location, exported).status == 0)
    }

    @Test("The path of a folder may end with a slash")
    func theFolderMayHaveASlash() throws {
        var generator = SplitMix64(seed: 4)
        let source = folder.file("a.sqlite")
        try makeStore(.sqlite(source), &generator)
        #expect(try Tool("export", source, folder.file("export") + "/").status == 0)
        #expect(try Tool("import", folder.file("b.sqlite"), folder.file("export/")).status == 0)
    }

    @Test(
        "A feed goes into a store, its bad elements are named, and a store is made of a model file")
    func aFeedIsImported() throws {
        let shelf = try Shelf(.sqlite(folder.file("a.sqlite")))
        let feed = folder.file("feed.json")
        try writeFile(
            feed,
            """
            {"items": [{"name": "new", "size": {"pages": 3}, "author": {"name": "李白"}},
              {"name": "漢字", "size": {"pages": 9}}, {"name": "bad", "size": {"pages": "x"}}]}
            """)
        let arguments = [
            feed, "--entity", "Book", "--match", "title", "--at", "/items", "--rename",
            "name=title", "--rename", "/size/pages=pages", "--relationship", "author=name",
        ]
        let first = try Tool(["import", shelf.path] + arguments)
        #expect(first.status == 1)
        #expect(first.errors.contains("refused: /items/2/size/pages: "))
        #expect(first.errors.contains("1 of 3 elements were refused"))
        let nothing = try Tool(["import", shelf.path] + arguments + ["--all-or-nothing"])
        #expect(nothing.status == 1 && nothing.errors.contains("Nothing of it was saved"))
        let books = try Tool(
            "fetch", shelf.path, "Book", "--where", "title IN {'new', '漢字'}", "--sort", "pages",
            "--columns", "pages,author.name", "--format", "csv")
        #expect(books.output == "pages,author.name\r\n3,李白\r\n9,\r\n")

        #expect(try Tool("import", shelf.path, feed).errors.contains("--entity"))
        let unknown = try Tool("import", shelf.path, feed, "--entity", "Bok")
        #expect(unknown.status != 0 && unknown.errors.contains("has no entity 'Bok'"))
        let missing = try Tool("import", "sqlite:" + folder.file("none"), feed, "--entity", "Book")
        #expect(missing.status != 0)
    }
}
