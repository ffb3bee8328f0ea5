import DuramenModel
import DuramenModelFile
import Foundation
import StoreTestSupport
import Testing

/// Models of published applications, which are not part of the package.
@Suite(.enabled(if: Corpus.folder != nil, Comment(rawValue: Corpus.missing)))
struct CorpusTests {
    @Test(arguments: CorpusModels.bundles)
    func everyModelIsReadAndReadAgainAsItWasWritten(_ path: String) throws {
        guard let bundle = try CorpusModels.bundle(path) else { return }
        for version in bundle.versions {
            let document = version.document
            let again = try ModelDocument(contents: Array(document.text.utf8))
            #expect(again == document, "\(path) \(version.name)")
        }
    }

    @Test(arguments: CorpusModels.bundles)
    func everyModelIsUsableAndSaysWhatIsOddAboutIt(_ path: String) throws {
        guard let bundle = try CorpusModels.bundle(path) else { return }
        for version in bundle.versions {
            _ = try version.document.model()
            for finding in version.document.findings() {
                #expect(finding.severity < .error)
                #expect(finding.place.line > 0)
            }
        }
    }

    @Test(arguments: CorpusModels.bundles)
    func everyModelSurvivesItsArchive(_ path: String) throws {
        guard let bundle = try CorpusModels.bundle(path) else { return }
        for version in bundle.versions {
            for model in [try version.document.model(), try version.document.generatedModel()] {
                let archive = model.archived()
                let read = try ManagedObjectModel(archived: archive)
                #expect(read.versionChecksum == model.versionChecksum, "\(path) \(version.name)")
                #expect(read.archived() == archive, "\(path) \(version.name)")
            }
        }
    }

    /// What is odd in published models is named, and nothing else is.
    @Test func theOddOnesAreNamed() throws {
        var messages: [String: Int] = [:]
        for path in CorpusModels.bundles {
            for version in try CorpusModels.bundle(path)?.versions ?? [] {
                for finding in version.document.findings() {
                    messages[finding.description, default: 0] += 1
                }
            }
        }
        #expect(
            messages[
                "warning: Image.artist: its inverse 'thumbnail' does not lead back; read as one without"
            ]
                == 7)
        // The word that four applications give as the default of a number is that number.
        #expect(!messages.keys.contains { $0.contains("Site.visibility") })
        #expect(messages.keys.contains { $0.contains("a composite without elements") })
        let known = [
            "transformable; read as binary data", "does not lead back", "does not fit",
            "without elements",
        ]
        let others = messages.keys.filter { message in !known.contains { message.contains($0) } }
        #expect(others.sorted() == [])
    }

    /// What a build says is what somebody should change.
    @Test func noCurrentModelWarnsWhenItsClassesAreGenerated() throws {
        var warnings: [String] = []
        var count = 0
        for path in CorpusModels.bundles {
            guard let bundle = try CorpusModels.bundle(path) else { continue }
            let options = ModelCodeGenerator.Options(codeGeneration: .class)
            let generator = try ModelCodeGenerator.current(of: bundle, options: options)
            count += 1
            warnings += generator.findings.filter { $0.severity > .note }.map {
                "\(path): \($0)"
            }
        }
        #expect(warnings == [])
        #expect(count > 30)
    }

    /// The versions whose stores no inference migrates: each has a change that needs a decision.
    @Test func theDecisionsThatPublishedModelsNeedAreKnown() throws {
        var unsettled: [String] = []
        var pairs = 0
        for path in CorpusModels.bundles {
            let versions = try CorpusModels.bundle(path)?.versions ?? []
            for (old, new) in zip(versions, versions.dropFirst()) {
                pairs += 1
                let comparison = ModelComparison(from: old.document, to: new.document)
                if !comparison.isInferable { unsettled.append("\(old.name) -> \(new.name)") }
            }
        }
        #expect(pairs == 190)
        #expect(
            unsettled.sorted() == [
                "ArtsyFolio v1.5 -> ArtsyFolio v1.7", "ArtsyFolio v2.0 -> ArtsyFolio v2.1",
                "ArtsyFolio v2.1 -> ArtsyFolio v2.2", "ArtsyFolio v2.7.0 -> ArtsyPartner",
                "CareKitStore2.0 -> CareKitStore2.1", "Model 32 -> Model 33",
                "Model 9 -> Model 10", "Moody 3 -> Moody 4",
            ])
    }

    /// Counts of what changed between the versions of a bundle, as scripts of others counted them.
    @Test(arguments: [
        ("WooCommerce", 116, entities: [92, 10], attributes: [98, 11], relationships: [40, 2]),
        ("owntracks__ios", 31, entities: [10, 6], attributes: [37, 8], relationships: [4, 3]),
    ])
    func comparisonsFindWhatWasCounted(
        _ name: String, _ pairs: Int, entities: [Int], attributes: [Int], relationships: [Int]
    ) throws {
        let path = try #require(CorpusModels.bundles.first { $0.contains(name) })
        let versions = try #require(try CorpusModels.bundle(path)).versions
        #expect(versions.count - 1 == pairs)
        var counts: [String: Int] = [:]
        for (old, new) in zip(versions, versions.dropFirst()) {
            for change in ModelComparison(from: old.document, to: new.document).changes {
                counts[change.message, default: 0] += 1
            }
        }
        #expect([counts["entity added"], counts["entity removed"]] == entities)
        #expect([counts["attribute added"], counts["attribute removed"]] == attributes)
        #expect([counts["relationship added"], counts["relationship removed"]] == relationships)
    }

    @Test(arguments: CorpusModels.bundles)
    func everyCurrentModelGivesCodeAndADrawing(_ path: String) throws {
        guard let bundle = try CorpusModels.bundle(path) else { return }
        let options = ModelCodeGenerator.Options(codeGeneration: .class)
        let generator = try ModelCodeGenerator.current(of: bundle, options: options)
        #expect(
            try ModelCodeGenerator.current(of: bundle, options: options).source == generator.source)
        let document = try bundle.requiredCurrentVersion().document
        let drawing = ModelDrawing(document, name: bundle.name).svg
        for entity in document.entities { #expect(drawing.contains(">\(entity.name)</text>")) }
    }
}

/// The models by their paths in the corpus.
enum CorpusModels {
    static let bundles: [String] = {
        guard let folder = Corpus.folder.map({ $0 + "/models" }) else { return [] }
        let all = FileManager.default.enumerator(atPath: folder)?.compactMap { $0 as? String } ?? []
        return all.filter {
            $0.hasSuffix(".xcdatamodeld")
                || ($0.hasSuffix(".xcdatamodel") && !$0.contains(".xcdatamodeld/"))
        }.sorted()
    }()

    /// The bundle; nil when all of it is in the format of Xcode before 4.3, which is not read.
    static func bundle(_ path: String) throws(ModelFileError) -> ModelBundle? {
        do {
            return try ModelBundle(path: (Corpus.folder ?? "") + "/models/" + path)
        } catch {
            if error.code == .oldFormat { return nil }
            throw error
        }
    }
}
