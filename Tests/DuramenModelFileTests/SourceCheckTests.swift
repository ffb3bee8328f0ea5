import DuramenModel
import DuramenModelFile
import Foundation
import StoreTestSupport
import Testing

/// Literals in Swift sources against a model.
@Suite struct SourceCheckTests {
    private static let model: ManagedObjectModel = {
        do {
            return try ManagedObjectModel([
                EntityDescription(
                    name: "Book",
                    attributes: [
                        AttributeDescription("title", .string),
                        AttributeDescription("pages", .integer64, default: .integer(0)),
                        .composite("shape", elements: [AttributeDescription("height", .double)]),
                    ],
                    relationships: [.toOne("author", destination: "Author", inverse: "books")]),
                EntityDescription(
                    name: "Author", attributes: [AttributeDescription("name", .string)],
                    relationships: [.toMany("books", destination: "Book", inverse: "author")]),
            ])
        } catch {
            fatalError("\(error)")
        }
    }()

    private func messages(_ source: String) -> [String] {
        SourceCheck(Self.model, classNames: ["Author": "Writer"]).findings(in: source).map {
            "\($0.place.line):\($0.place.column) \($0.message)"
        }
    }

    @Test(arguments: [
        "FetchPredicate(\"title == %@ AND pages > %d\", name, 5)",
        "FetchPredicate(format: \"author.name BEGINSWITH[cd] 'x'\", arguments: [])",
        "FetchPredicate(\"ANY books.pages > 3\")",
        "FetchPredicate(\"SUBQUERY(books, $b, $b.pages > 5).@count > 2\")",
        "FetchPredicate(\"books.@avg.pages > 2 OR books.@count == 0\")",
        "FetchPredicate(\"shape.height > 1 AND %K == 2\", key)",
        "FetchPredicate(#\"title == \"a\\b\" \"#)", "FetchPredicate(text)",
        "FetchPredicate(\"\\(key) == 1\")", "// FetchPredicate(\"nothing ==\")",
        "/* FetchPredicate(\"a\" /* b */ \"nothing ==\") */", "print(\"nothing == \")",
        "let a = FetchRequest<Book>().sorted(by: \"author.name\").where(x).sorted(by: \"pages\")",
        "FetchRequest<Writer>().where(try FetchPredicate(\"name == 'a'\"))",
        "FetchRequest<ManagedObject>(entityName: \"Book\").sorted(by: \"shape.height\")",
        "FetchRequest<Unknown>().sorted(by: \"pages\")",
        "request.relationshipKeyPathsForPrefetching = [\"author\", \"author.books\"]",
    ])
    func whatFitsIsLeftAlone(_ source: String) {
        #expect(messages(source) == [])
    }

    @Test func whatDoesNotFitIsShownAtItsPlace() {
        #expect(
            messages(
                """
                let request = FetchRequest<Book>()
                    .where(try FetchPredicate("title == 'é' AND name == 3"))
                    .sorted(by: "author.pages")
                """) == ["2:31 'Book' has no 'name'", "3:17 'Book' has no 'author.pages'"])
        #expect(
            messages("\n  x.predicate = FetchPredicate(\"isbn == 1\")")
                == ["2:32 no entity of the model has isbn"])
        #expect(
            messages("FetchRequest<ManagedObject>(entityName: \"Bok\")")
                == ["1:41 the model has no entity 'Bok'"])
        #expect(
            messages("FetchRequest<ManagedObject>(entityName: \"Author\").sorted(by: \"pages\")")
                == ["1:62 'Author' has no 'pages'"])
        #expect(
            messages("f(sectionNameKeyPath: \"author.age\")")
                == ["1:23 no entity of the model has author.age"])
        #expect(
            messages("r.relationshipKeyPathsForPrefetching = [\"author\", \"friends\"]")
                == ["1:51 no entity of the model has friends"])
        let syntax = messages("FetchPredicate(\"title ==\")")
        #expect(syntax.count == 1 && syntax[0].hasPrefix("1:16 the condition is not a predicate: "))
    }

    /// Whatever is in a source, looking at it ends.
    @Test func anythingIsASource() {
        var random = SystemRandomNumberGenerator()
        let pieces = [
            "\"", "\\", "(", ")", "#", "\n", "/*", "*/", "//", "FetchPredicate", "\"\"\"", "a", "é",
            "\\(", "=", ":", "<", ">",
        ]
        for _ in 0..<2_000 {
            let source = (0..<40).map { _ in pieces.randomElement(using: &random) ?? "" }.joined()
            _ = messages(source)
        }
    }

    // MARK: - Locks

    private func bundle(_ folder: TemporaryFolder, _ attribute: String) throws -> String {
        let path = folder.file("Shop.xcdatamodeld")
        let version = "\(path)/Shop.xcdatamodel"
        try FileManager.default.createDirectory(
            atPath: version, withIntermediateDirectories: true)
        let text =
            "<model>\n<entity name=\"Item\">\n\(attribute)\n</entity>\n<entity name=\"Other\"/>\n</model>"
        try Data(text.utf8).write(to: URL(filePath: "\(version)/contents"))
        return path
    }

    @Test func aVersionThatHasShippedIsNotEdited() throws {
        let folder = TemporaryFolder()
        let plain = "<attribute name=\"name\" optional=\"YES\" attributeType=\"String\"/>"
        let path = try bundle(folder, plain)
        let parent = URL(filePath: path).deletingLastPathComponent().path
        #expect(try TargetCheck(folder: parent).errorCount == 0)
        let frozen = try TargetCheck(folder: parent, freezes: true)
        #expect(frozen.lines.contains { $0.hasSuffix("note: frozen: Shop") })
        #expect(try ModelLock.read(bundlePath: path)?.versions.map(\.name) == ["Shop"])
        #expect(try TargetCheck(folder: parent, freezes: true).lines == [])
        // What stores do not depend on may change.
        _ = try bundle(
            folder,
            "<attribute name=\"name\" optional=\"YES\" attributeType=\"String\" maxValueString=\"5\"/>"
        )
        #expect(try TargetCheck(folder: parent).lines == [])
        _ = try bundle(folder, plain.replacing("String", with: "Integer 16"))
        #expect(
            try TargetCheck(folder: parent, freezes: true).lines == [
                "\(path)/Shop.xcdatamodel/contents:1:1: error: the version 'Shop' has shipped and was edited (Item); take "
                    + "the edit back, and make it in a new version"
            ])
        try FileManager.default.moveItem(
            atPath: "\(path)/Shop.xcdatamodel", toPath: "\(path)/Shop 2.xcdatamodel")
        #expect(try TargetCheck(folder: parent).lines.count == 1)
        #expect(try TargetCheck(folder: parent).lines[0].contains("'Shop' has shipped and is gone"))
    }

    @Test(arguments: ["nonsense\n", "  aaa  Entity\n", "aaa\n"])
    func aLockThatIsNoneIsRefusedWithItsPlace(_ text: String) throws {
        let folder = TemporaryFolder()
        let path = try bundle(folder, "")
        try Data(("# A lock.\n" + text).utf8).write(
            to: URL(filePath: "\(path)/\(ModelLock.fileName)"))
        let error = #expect(throws: ModelFileError.self) { try ModelLock.read(bundlePath: path) }
        #expect(error?.code == .malformed && error?.place?.line == 2)
    }
}
