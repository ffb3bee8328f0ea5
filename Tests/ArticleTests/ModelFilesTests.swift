import DocumentationSupport
import Duramen
import DuramenMemory
import DuramenModelFile
import Foundation
import Testing

/// What the article says of model files. The file GeneratedTrips.swift is what `duramen model
/// generate` makes of the model in the article.
@MainActor struct ModelFilesTests {
    private let folder: ArticleFolder
    private let path: String
    private let contents: String

    init() throws {
        folder = try ArticleFolder()
        path = folder.file("Trips.xcdatamodeld")
        let article = try Article.named("ModelFiles").text
        let block = try #require(article.firstMatch(of: /(?s)```xml\n(.*?)```/))
        contents = String(block.output.1)
        try Self.write(contents, version: "Trips", in: path)
    }

    private static func write(_ text: String, version: String, in bundle: String) throws {
        let version = "\(bundle)/\(version).xcdatamodel"
        try FileManager.default.createDirectory(
            atPath: version, withIntermediateDirectories: true)
        try Data(text.utf8).write(to: URL(filePath: "\(version)/contents"))
    }

    @Test func classesComeFromTheModel() async throws {
        let bundle = try ModelBundle(path: path)
        let generated = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "GeneratedTrips.swift")
        #expect(
            try ModelCodeGenerator.current(of: bundle).source
                == String(contentsOf: generated, encoding: .utf8))
        // snippet: modelfiles.use
        let container = try await PersistentContainer(model: .trips, stores: [.memory()])
        let trip = Trip(context: container.viewContext)
        trip.title = "Norway"
        for place in ["Bergen", "Oslo"] {
            let stop = Stop(context: container.viewContext)
            stop.place = place
            trip.stops.append(stop)
        }
        try container.viewContext.save()
        let found = try Trip.find(title: "Norway", in: container.viewContext)
        print(found?.stops.map(\.place) ?? [])
        // end
        #expect(found?.stops.map(\.place) == ["Bergen", "Oslo"])
        #expect(found?.values.title == "Norway")
    }

    @Test func aFileIsReadAtRunTime() throws {
        // snippet: modelfiles.read
        let bundle = try ModelBundle(path: path)
        let document = try bundle.requiredCurrentVersion().document
        for finding in document.findings() { print(finding) }
        let model = try document.model(codableTypes: [CodableType("[String]", [String].self)])
        // end
        #expect(model.versionChecksum == (try ManagedObjectModel.trips.versionChecksum))
        let container = try PersistentContainer.open(model: model, stores: [.memory()])
        let entity = try #require(model.entity(named: "Trip"))
        let trip = ManagedObject(entity: entity, context: container.viewContext)
        try trip.setValue("Norway", forKey: "title")
        #expect(try trip.value(forKey: "title") as? String == "Norway")
        // snippet: modelfiles.tools
        let svg = ModelDrawing(document, name: "Trips").svg
        let source = try ModelCodeGenerator(document, name: "Trips").source
        let report = try ModelValidation(path: path)
        for line in report.lines { print(line) }
        // end
        #expect(svg.hasPrefix("<?xml") || svg.hasPrefix("<svg"))
        #expect(source.contains("final class Trip"))
        #expect(report.worst == nil && report.versionCount.read == 1)
        #expect(document.root["type"] == "com.apple.IDECoreDataModeler.DataModel")
        try bundle.write(toPath: folder.file("Copy.xcdatamodeld"))
        let copy = try ModelBundle(path: folder.file("Copy.xcdatamodeld"))
        #expect(copy.currentVersion?.document == document)
    }

    @Test func versionsAreCompared() throws {
        let next = contents.replacing("name=\"place\"", with: "name=\"town\"")
        try Self.write(next, version: "Trips 2", in: path)
        let bundle = try ModelBundle(path: path)
        let first = try bundle.version(named: "Trips").document
        let second = try bundle.version(named: "Trips 2").document
        // snippet: modelfiles.compare
        let comparison = ModelComparison(from: first, to: second)
        for change in comparison.changes { print(change) }
        for renaming in comparison.suspectedRenamings { print(renaming.name, "may be renamed") }
        // end
        let lines =
            comparison.changes.map(\.description)
            + comparison.suspectedRenamings.map { "\($0.name) may be renamed" }
        #expect(
            lines.joined(separator: "\n")
                == (try Article.named("ModelFiles").output("modelfiles.compare")))
    }

    @Test func anEditOfAShippedVersionAndAMistakeInASourceAreFound() throws {
        let parent = folder.file("")
        #expect(try TargetCheck(folder: parent, freezes: true).errorCount == 0)
        #expect(try ModelLock.read(bundlePath: path)?.versions.map(\.name) == ["Trips"])
        let edited = contents.replacing("name=\"place\"", with: "name=\"town\"")
        try Self.write(edited, version: "Trips", in: path)
        let source = "let request = FetchRequest<Stop>().sorted(by: \"place\")\n"
        try Data(source.utf8).write(to: URL(filePath: folder.file("main.swift")))
        let check = try TargetCheck(folder: parent)
        #expect(check.errorCount == 2)
        let lines = check.lines.map { $0.replacing(parent + "/", with: "Sources/Trips/") }
        #expect(
            lines.joined(separator: "\n")
                == (try Article.named("ModelFiles").output("modelfiles.check")))
        let model = try ModelBundle(path: path).requiredCurrentVersion().document.model()
        #expect(SourceCheck(model).findings(in: source).map(\.severity) == [.error])
    }

    @Test func aMistakeIsShownAtItsPlace() throws {
        let wrong = contents.replacing("optional=\"YES\"", with: "optional=\"MAYBE\"")
        try Self.write(wrong, version: "Trips", in: path)
        let error = #expect(throws: ModelFileError.self) { try ModelBundle(path: path) }
        #expect(error?.place?.line == 5)
        let report = try ModelValidation(path: path)
        #expect(report.worst == .error)
        #expect(
            report.lines.first?.replacing(folder.file(""), with: "Sources/Trips/")
                == (try Article.named("ModelFiles").output("modelfiles.mistake")))
    }

    private struct Cover: Codable, Equatable, Sendable {
        var text: String
    }

    private enum CoverError: Error { case unknown }

    @Test func aTransformerIsRegistered() throws {
        // snippet: modelfiles.transformer
        let covers = ValueTransformer(
            "CoverTransformer", Cover.self, allowing: ["Library.Cover"]
        ) { value in
            guard case .object(let cover) = value, case .string(let text)? = cover["text"] else {
                throw CoverError.unknown
            }
            return Cover(text: text)
        } encode: { cover in
            let text = ArchivedValue.string(cover.text)
            return .object(
                ArchivedObject(className: "Library.Cover", fields: [("text", .value(text))]))
        }
        // end
        var cover = AttributeDescription.codable(
            Cover?.self, name: "cover", identifier: "Cover")
        cover.valueTransformerName = "CoverTransformer"
        let plain = try ManagedObjectModel([EntityDescription(name: "Tape", attributes: [cover])])
        // snippet: modelfiles.registry
        let model = try plain.with(ValueTransformers([covers]))
        // end
        let container = try PersistentContainer.open(model: model, stores: [.memory()])
        let context = container.viewContext
        let tape = ManagedObject(
            entity: try #require(model.entity(named: "Tape")), context: context)
        try tape.setValue(Cover(text: "blue"), forKey: "cover")
        try context.save()
        context.reset()
        let found = try context.fetch(FetchRequest<ManagedObject>(entityName: "Tape"))
        #expect(try found.first?.value(forKey: "cover") as? Cover == Cover(text: "blue"))
        guard case .binary(let bytes)? = try found.first?.storedValue(forKey: "cover") else {
            Issue.record("the value is not an archive")
            return
        }
        #expect(ArchivedValue.isArchive(bytes))
    }
}
