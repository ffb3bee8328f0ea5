import DuramenModel
import DuramenQuery
import Foundation
import StoreTestSupport
import Testing

/// Predicates that programs in the field write, by their shapes: names and texts are replaced.
@Suite struct PredicateShapesTests {
    /// Shapes that are no predicates, with what is said of them.
    private let malformed: [String: PredicateFormatError.Code] = [
        "self isKindOfClass: %@": .syntax,
        "%K": .syntax,
    ]
    /// Shapes that compare nothing a store has, but texts and collections themselves.
    private let ofValues: Set<String> = [
        "SELF MATCHES %@", "SELF ENDSWITH[c] 'text'", "self endswith %@", "SELF CONTAINS %@",
        "NONE SELF IN %@", "all alpha>20", "SUBQUERY(alpha, $beta, $beta == 2).@count != 0",
        "SUBQUERY(alpha, $beta, NOT ($beta == 2)).@count == 0",
        "ANY %K CONTAINS %@ AND %K == NO AND (%K == NO OR %K == nil)",
    ]

    private static var formats: [String] {
        guard let folder = Corpus.folder,
            let data = FileManager.default.contents(atPath: folder + "/predicate-shapes.tsv")
        else { return [] }
        return String(decoding: data, as: UTF8.self).split(separator: "\n").dropFirst().compactMap {
            let fields = $0.split(separator: "\t", omittingEmptySubsequences: false)
            return fields.count < 3 ? nil : restored(String(fields[2]))
        }
    }

    /// The names of types and functions were replaced as well.
    private static func restored(_ format: String) -> String {
        format.replacing(/(CAST\([^,]+, ?)'text'\) </) { $0.1 + "'NSNumber') <" }
            .replacing(/(CAST\([^,]+, ?)'text'/) { $0.1 + "'NSString'" }
            .replacing(/(FUNCTION\([^,]+, ?)'text'/) { $0.1 + "'uppercase'" }
    }

    @Test(.enabled(if: Corpus.folder != nil, "\(Corpus.missing)"))
    func everyShapeIsReadPrintedAndAnsweredAlikeByEveryStore() throws {
        let folder = TemporaryFolder()
        let things = try Things.inAllStores(folder)
        var unanswered: Set<String> = []
        for format in Self.formats {
            let arguments = ShapeArguments(format)
            do throws(PredicateFormatError) {
                let read = try FetchPredicate(
                    format: format, arguments: arguments.arguments([], things[0].first))
                #expect(malformed[format] == nil, "\(format)")
                let again = try FetchPredicate(read.description)
                #expect(again == read, "\(format)")
            } catch {
                #expect(error.code == malformed[format], "\(error)")
                continue
            }
            if try !answer(format, arguments, things) { unanswered.insert(format) }
        }
        #expect(unanswered == ofValues)
        for format in unanswered { try expectAnswers(of: format) }
    }

    /// Some value of those that a predicate may be about satisfies it or its opposite.
    private func expectAnswers(of format: String) throws {
        let subjects: [QueryValue] = [
            .value(.text("some text")), .collection([.value(.integer(30)), .value(.text("b"))]),
            .dictionary([
                "alpha": .collection([.value(.integer(2)), .value(.integer(30))]),
                "beta": .value(.boolean(false)), "gamma": .value(.boolean(false)),
            ]),
        ]
        let arguments = ShapeArguments(format)
        let predicate = try FetchPredicate(
            format: format, arguments: arguments.arguments([], Things.nobody))
        var variables: [String: any PredicateArgument] = [:]
        for name in predicate.substitutionVariables { variables[name] = [2, 3] }
        let answers = try subjects.map { try predicate.evaluate(with: $0, variables: variables) }
        let inverse = try subjects.map { try (!predicate).evaluate(with: $0, variables: variables) }
        #expect(zip(answers, inverse).allSatisfy { $0 != $1 }, "\(format)")
    }

    /// Asks all stores, with the first arguments and types that fit; false when none does.
    private func answer(
        _ format: String, _ arguments: ShapeArguments, _ things: [Things]
    ) throws -> Bool {
        for kinds in arguments.candidates {
            let predicates = try things.map { store in
                let predicate = try FetchPredicate(
                    format: format, arguments: arguments.arguments(kinds, store.first))
                var variables: [String: any PredicateArgument] = [:]
                for name in predicate.substitutionVariables { variables[name] = "b" }
                return ThingNames.fitting(try predicate.withSubstitutionVariables(variables))
            }
            guard predicates[0] != nil else { continue }
            let answers = try zip(things, predicates).map { store, predicate in
                try store.answer(#require(predicate))
            }
            #expect(Set(answers).count == 1, "\(format)")
            return true
        }
        return false
    }
}
