import DocumentationSupport
import DuramenModel
import DuramenModelFile
import DuramenSQLite
import DuramenStore
import Foundation
import StoreTestSupport
import Testing

/// Runs the commands that the articles on the program show, one after the other, and compares what
/// they print.
struct DocumentedCommandTests {
    @Test(arguments: [
        ("CommandLineTool", 10), ("CommandLineReference", 10), ("BackupAndRestore", 3),
    ])
    func commandsPrintWhatTheArticleShows(_ name: String, atLeast least: Int) throws {
        let article = try #require(try Article.all().first { $0.name == name })
        let library = try DocumentedLibrary()
        var count = 0
        for block in article.text.matches(of: /(?s)```console\n(.*?)```/) {
            for part in String(block.output.1).split(separator: #/(?m)^\$ /#) {
                // A command goes on behind a backslash at the end of its line.
                let lines = part.replacing("\\\n", with: " ").split(
                    separator: "\n", maxSplits: 1)
                guard let command = lines.first, command.hasPrefix("duramen ") else { continue }
                let shown = lines.count > 1 ? String(lines[1]) : ""
                let printed = try library.run(String(command))
                #expect(Self.fits(printed, shown), "\(name): $ \(command)\n\(printed)")
                count += 1
            }
        }
        #expect(count >= least)
    }

    /// Whether a text is the one that is shown, in which `…` stands for some letters.
    private static func fits(_ printed: String, _ shown: String) -> Bool {
        let pattern = shown.split(separator: "…", omittingEmptySubsequences: false)
            .map { NSRegularExpression.escapedPattern(for: String($0)) }
            .joined(separator: "[^\n]*")
        return printed.range(of: "^\(pattern)$", options: .regularExpression) != nil
    }

    @Test func theReferenceHasEveryOption() throws {
        let article = try #require(try Article.all().first { $0.name == "CommandLineReference" })
        let library = try DocumentedLibrary()
        let commands = [
            "info", "fetch", "count", "explain", "predicate parse", "history", "verify", "backup",
            "restore",
            "salvage", "convert", "export", "import",
            "migrate", "schema", "model validate", "model show", "model diff", "model check",
            "model checksum", "model generate", "model draw", "model freeze",
        ]
        for command in commands {
            #expect(article.text.contains("duramen \(command)"), "\(command)")
            let help = try library.run("duramen help \(command)")
            let options = Set(help.matches(of: /--[a-z-]+/).map { String($0.output) })
            #expect(options.contains("--help"), "\(command)")
            for option in options.subtracting(["--help"]) {
                #expect(article.text.contains("`\(option)"), "\(command) \(option)")
            }
        }
    }
}

/// The store and the model file of the articles, in a folder of their own.
private struct DocumentedLibrary {
    private let folder = TemporaryFolder()

    private static func contents(isNew: Bool) -> String {
        let news = [
            #"<attribute name="isRead" attributeType="Boolean" defaultValueString="NO"/>"#,
            #"<attribute name="issued" optional="YES" attributeType="Date" elementID="published"/>"#,
        ]
        let olds = [
            #"<attribute name="published" optional="YES" attributeType="Date"/>"#,
            #"<attribute name="remark" optional="YES" attributeType="String"/>"#,
        ]
        return """
            <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0">
                <entity name="Author" representedClassName="Author" codeGenerationType="class">
                    <attribute name="name" optional="YES" attributeType="String"/>
                    <relationship name="books" optional="YES" toMany="YES" deletionRule="Cascade"
                        destinationEntity="Book" inverseName="author" inverseEntity="Book"/>
                </entity>
                <entity name="Book" representedClassName="Book" codeGenerationType="class">
                    <attribute name="pages" attributeType="Integer 64" defaultValueString="0"/>
                    <attribute name="title" optional="YES" attributeType="String"/>
                    \((isNew ? news : olds).joined(separator: "\n"))
                    <relationship name="author" optional="YES" maxCount="1" deletionRule="Nullify"
                        destinationEntity="Author" inverseName="books" inverseEntity="Author"/>
                    <fetchIndex name="byPages">
                        <fetchIndexElement property="pages" type="Binary" order="ascending"/>
                    </fetchIndex>
                </entity>
            </model>
            """
    }

    init() throws {
        let bundle = folder.file("Library.xcdatamodeld")
        for (name, isNew) in [("Library", false), ("Library 2", true)] {
            let version = "\(bundle)/\(name).xcdatamodel"
            try FileManager.default.createDirectory(
                atPath: version, withIntermediateDirectories: true)
            try writeFile("\(version)/contents", Self.contents(isNew: isNew))
        }
        let model = try ModelBundle(path: bundle).version(named: "Library").document
            .generatedModel()
        var description = PersistentStoreDescription.sqlite(folder.file("library.sqlite"))
            .keepingHistory()
        description.clock = StoreClock(date: { Date(timeIntervalSinceReferenceDate: 0) }) { .zero }
        let store = try description.open(model: model)
        let names = ["Ursula K. Le Guin", "Stanisław Lem"]
        let authors = try store.insert("Author", all: names.map { ["name": .text(StoredText($0))] })
        let books: [(title: String, pages: Int64, year: Int, author: ManagedObjectID)] = [
            ("The Dispossessed", 341, 1974, authors[0]),
            ("The Left Hand of Darkness", 304, 1969, authors[0]),
            ("Solaris", 204, 1961, authors[1]),
        ]
        let ids = try store.insert(
            "Book",
            all: books.map { book in
                let day = DateComponents(
                    calendar: Calendar(identifier: .gregorian), timeZone: .gmt, year: book.year,
                    month: 1, day: 1)
                return [
                    "title": .text(StoredText(book.title)), "pages": .integer(book.pages),
                    "published": .date(day.date ?? .now), "author": .objectID(book.author),
                ]
            })
        var change = ChangeSet(author: "Ann", contextName: "desk")
        change.updates = [try store.update(ids[2], ["remark": .text("lent")])]
        try store.saved(change)
        try store.close()
    }

    /// What a command prints, on both of its outputs.
    func run(_ command: String) throws -> String {
        let words = command.matches(of: /'([^']*)'|"([^"]*)"|([^ ]+)/)
            .map { String($0.output.1 ?? $0.output.2 ?? $0.output.3 ?? "") }
        let process = Process()
        process.executableURL = Bundle.main.bundleURL.appending(path: "duramen")
        process.arguments = Array(words.dropFirst())
        process.currentDirectoryURL = URL(filePath: folder.path)
        process.environment = ["COLUMNS": "90"]
        let pipe = Pipe()
        process.standardOutput = pipe
        process.standardError = pipe
        process.standardInput = FileHandle.nullDevice
        try process.run()
        let data = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        // Lines of CSV end as RFC 4180 wants.
        return String(decoding: data, as: UTF8.self).replacing("\r\n", with: "\n")
    }
}
