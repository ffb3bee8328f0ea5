import DuramenLMDB
import DuramenModel
import DuramenSQLite
import DuramenStore
import Foundation
import StoreTestSupport
import Testing

/// `--model`, `--version` and `--model-of`, in every command that opens a store.
@Suite struct ModelArgumentTests {
    private let folder = TemporaryFolder()

    private static let properties = [
        ("title", "String"), ("pages", "Integer 32"), ("price", "Decimal"), ("rating", "Double"),
        ("isLent", "Boolean"), ("published", "Date"), ("cover", "Binary"), ("code", "UUID"),
        ("link", "URI"),
    ]

    /// The model of the shelf as a bundle, whose current version is another one.
    private func bundle() throws -> String {
        let attributes = Self.properties.map {
            "<attribute name=\"\($0)\" optional=\"YES\" attributeType=\"\($1)\"/>"
        }
        let shelf = """
            <model><entity name="Book">\(attributes.joined())
            <relationship name="author" optional="YES" maxCount="1" destinationEntity="Person" inverseName="books"/>
            </entity><entity name="Person">
            <attribute name="name" optional="YES" attributeType="String"/>
            <relationship name="books" optional="YES" toMany="YES" destinationEntity="Book" inverseName="author"/>
            </entity><entity name="Poet" parentEntity="Person"/></model>
            """
        let path = folder.file("Shelf.xcdatamodeld")
        for (name, text) in [
            ("Shelf", shelf), ("Shelf 2", "<model><entity name=\"New\"/></model>"),
        ] {
            try FileManager.default.createDirectory(
                atPath: "\(path)/\(name).xcdatamodel", withIntermediateDirectories: true)
            try writeFile("\(path)/\(name).xcdatamodel/contents", text)
        }
        return path
    }

    @Test("A model file opens a store in every command", arguments: ["sqlite", "lmdb"])
    func everyCommandTakesAModelFile(kind: String) throws {
        let path = folder.file("shelf." + kind)
        let description: PersistentStoreDescription =
            kind == "lmdb" ? .lmdb(path) : .sqlite(path)
        _ = try Shelf(description)
        let model = ["--model", try bundle(), "--version", "Shelf"]
        let commands: [([String], String)] = [
            (["count", path, "Book"], "3\n"), (["fetch", path, "Person"], "Ursula"),
            (["explain", path, "Book"], "entity    Book"), (["verify", path], "Poet"),
            (["info", path], "name    parent  attributes  relationships  rows"),
            (["convert", path, "lmdb:" + folder.file("new.lmdb")], "checksum"),
        ]
        for (arguments, expected) in commands {
            let result = try Tool(arguments + model)
            #expect(result.status == 0, "\(arguments): \(result.errors)")
            #expect(result.output.contains(expected), "\(arguments)")
        }
        let info = try Tool(["info", path] + model)
        #expect(info.output.contains("Book    -                9              1     3"))
        #expect(!info.output.contains("are not known"))
        let history = try Tool(["history", path] + model)
        #expect(history.errors.contains("keeps no history"))
    }

    @Test("The current version is the one that is taken")
    func theCurrentVersion() throws {
        let shelf = try Shelf(.sqlite(folder.file("shelf.sqlite")))
        let count = try Tool("count", shelf.path, "Book", "--model", try bundle())
        #expect(count.status == 1)
        #expect(count.errors.contains("[incompatibleModel]"))
    }

    @Test("A model that cannot be read is one line of error")
    func failures() throws {
        let shelf = try Shelf(.sqlite(folder.file("shelf.sqlite")))
        let bundle = try bundle()
        let missing = try Tool("count", shelf.path, "Book", "--model", bundle + "2")
        #expect(missing.status == 1)
        #expect(missing.errors.contains("there is no such file or folder"))
        let version = try Tool(
            "verify", shelf.path, "--model", bundle, "--version", "Shelf 3")
        #expect(version.status == 1)
        #expect(version.errors.contains("it has 'Shelf', 'Shelf 2'"))
        for arguments in [["--version", "Shelf"], ["--model", bundle, "--model-of", shelf.path]] {
            #expect(try Tool(["count", shelf.path, "Book"] + arguments).status == 64)
        }
    }

    @Test("A store of Core Data's without a model is read by its columns, which is said")
    func columns() throws {
        let shelf = try Shelf(.sqlite(folder.file("shelf.sqlite")))
        // What makes it a store of Duramen's.
        try Shelf.execute(
            "DROP TABLE DURAMEN_SAVE; DROP TABLE DURAMEN_DECIMAL; DELETE FROM Z_MODELCACHE; "
                + "UPDATE Z_METADATA SET Z_PLIST = NULL",
            in: shelf.path)
        let fetch = try Tool(
            "fetch", shelf.path, "Book", "--columns", "TITLE,PAGES,AUTHOR", "--format", "csv",
            "--where", "PAGES < 100", "--sort", "PAGES")
        #expect(fetch.status == 0)
        #expect(fetch.output == "TITLE,PAGES,AUTHOR\r\n漢字,7,\r\n\"\",40,2\r\n")
        #expect(fetch.errors.contains("note: '\(shelf.path)': Model: the store keeps none"))
        let converted = try Tool("convert", shelf.path, "lmdb:" + folder.file("new.lmdb"))
        #expect(converted.status == 0)
    }

    // MARK: - Missing files

    /// A store of two values whose files are gone, and one that is there.
    private func album() throws -> [String] {
        let path = folder.file("album.sqlite")
        let entity = EntityDescription(
            name: "Photo",
            attributes: [
                AttributeDescription(
                    "image", .binaryData, isOptional: true, allowsExternalBinaryDataStorage: true)
            ])
        let store = try PersistentStoreDescription.sqlite(path).largestInlineValue(bytes: 100)
            .open(model: testModel([entity]))
        try store.insert(
            "Photo", all: [50, 200, 300].map { ["image": .binary(Data(repeating: 1, count: $0))] })
        try store.close()
        try FileManager.default.removeItem(
            atPath: folder.file(".album.sqlite_SUPPORT/_DURAMEN_DATA"))
        let model = folder.file("contents")
        try writeFile(
            model,
            "<model><entity name=\"Photo\"><attribute name=\"image\" optional=\"YES\" "
                + "attributeType=\"Binary\" allowsExternalBinaryDataStorage=\"YES\"/></entity></model>"
        )
        return [path, "--model", model]
    }

    @Test("Verify names each file that is missing")
    func verifyListsMissingFiles() throws {
        let verify = try Tool(["verify"] + album())
        #expect(verify.status == 1)
        for key in [2, 3] { #expect(verify.errors.contains("Photo/p\(key).image: its file '")) }
        #expect(verify.errors.contains("Error: The files of 2 values are missing; "))
    }

    @Test("Convert refuses what is missing, and copies it as null where that is asked for")
    func convertTakesMissingValuesAsNull() throws {
        let album = try album()
        let made = folder.file("made.lmdb")
        let refused = try Tool(["convert", album[0], "lmdb:" + made] + album.dropFirst())
        #expect(refused.status == 1)
        #expect(refused.errors.contains("--missing-as-null"))
        #expect(!FileManager.default.fileExists(atPath: made))
        let converted = try Tool(
            ["convert", album[0], "lmdb:" + made, "--missing-as-null"] + album.dropFirst())
        #expect(converted.status == 0)
        #expect(converted.errors.contains("Photo/p2.image: its file '"))
        let count = try Tool(
            ["count", made, "Photo", "--where", "image = nil"] + album.dropFirst())
        #expect(count.output == "2\n")
        #expect(try Tool(["verify", made] + album.dropFirst()).status == 0)
    }
}
