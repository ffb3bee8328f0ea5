import Duramen
import DuramenLMDB
import DuramenMemory
import DuramenQuery
import DuramenSQLite
import DuramenStore
import DuramenTestKit
import Foundation
import StoreTestSupport
import Testing

/// Predicates that programs in the field write, by their shapes: names and texts are replaced.
@Suite struct PredicateShapesTests {
    /// Shapes that Core Data does not read either, with what we say of them.
    private let malformed: [String: PredicateFormatError.Code] = [
        "self isKindOfClass: %@": .syntax,
        "%K": .syntax,
        "%@ > 100": .syntax,
    ]

    private struct Shape {
        var format: String
        var things = Things()
    }

    private static var formats: [String] {
        guard let folder = Corpus.folder,
            let data = FileManager.default.contents(atPath: folder + "/predicate-shapes.tsv")
        else { return [] }
        return String(decoding: data, as: UTF8.self).split(separator: "\n").dropFirst().compactMap {
            line in
            let fields = line.split(separator: "\t", omittingEmptySubsequences: false)
            return fields.count < 3 ? nil : String(fields[2])
        }
    }

    /// The names of types and functions were replaced as well.
    private func restored(_ format: String) -> String {
        format.replacing(/(CAST\([^,]+, ?)'text'/) { $0.1 + "'NSString'" }
            .replacing(/(FUNCTION\([^,]+, ?)'text'/) { $0.1 + "'uppercase'" }
    }

    @Test(.enabled(if: Corpus.folder != nil, "\(Corpus.missing)"))
    func everyShapeIsReadPrintedAndAnsweredAlikeByEveryStore() throws {
        let things = try Things.inAllStores()
        var unanswered: [String] = []
        for format in Self.formats {
            let text = restored(format)
            let placeholders = ShapeArguments(text)
            do {
                let predicate = try FetchPredicate(
                    format: text, arguments: placeholders.first)
                #expect(malformed[format] == nil, "\(format) is read")
                #expect(try FetchPredicate(predicate.description) == predicate, "\(format)")
            } catch let error as PredicateFormatError {
                #expect(error.code == malformed[format], "\(error)")
                continue
            }
            guard let answered = try placeholders.candidates.lazy.compactMap({ arguments in
                try ThingNames.fitting(FetchPredicate(format: text, arguments: arguments))
            }).first(where: { _ in true }) else {
                unanswered.append(format)
                continue
            }
            try things.expectSameAnswers(answered)
        }
        #expect(unanswered == [])
    }
}
