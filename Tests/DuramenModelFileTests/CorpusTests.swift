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
            for finding in version.document.findings() {
                print(finding.line(in: version.name))
            }
            _ = try version.document.model()
        }
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
