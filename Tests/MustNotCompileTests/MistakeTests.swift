import Foundation
import StoreTestSupport
import Testing

/// Confinement is proved by the compiler: each mistake is refused, and what should be written
/// instead is not.
struct MistakeTests {
    @Test(arguments: Corpus.mistakes)
    func aMistakeIsRefusedForTheRightReason(_ program: Program) async throws {
        let expected = try Regex(#require(program.expected))
        let found = try #require(await Self.mistakes.value.diagnostics[program.url])
        let severity = program.onlyWarns ? Diagnostic.Severity.warning : .error
        let diagnostics = try program.ownDiagnostics(found)
        #expect(!diagnostics.isEmpty)
        for diagnostic in diagnostics {
            #expect(diagnostic.severity == severity)
            #expect(diagnostic.message.firstMatch(of: expected) != nil, "\(diagnostic)")
        }
    }

    @Test(arguments: Corpus.mistakes)
    func itsTwinCompiles(_ program: Program) async throws {
        let found = try #require(await Self.twins.value.diagnostics[program.url])
        let diagnostics = try program.ownDiagnostics(found)
        #expect(diagnostics.isEmpty, "\(diagnostics)")
    }

    @Test func nothingIsSaidOfAnythingElse() async throws {
        #expect(try await Self.mistakes.value.others.isEmpty)
        #expect(try await Self.twins.value.others.isEmpty)
    }

    @Test(arguments: Corpus.mistakes)
    func aTwinDiffersInOnePlace(_ program: Program) throws {
        #expect(program.differences.count == 1)
        let difference = try #require(program.differences.first)
        // One line, or one statement where the program says so.
        let limit = program.header("differs") == nil ? 1 : 9
        #expect((1...limit).contains(difference.twin) || program.header("differs") != nil)
        #expect(max(difference.twin, difference.mistake) <= limit)
    }

    /// The mistakes of `Tests/Fixtures/mistakes.txt` that the compiler finds.
    private static let firstMistakes = [
        1: "ToOneWithoutRelationship", 2: "EnumerationWithoutAttributeValue", 3: "CodableStruct",
        4: "ArrayAttribute", 5: "InverseNamesAttribute",
    ]

    @Test(arguments: 1...5)
    func aMistakeOfTheFirstHourGivesOneError(number: Int) async throws {
        let mistake = try #require(FirstMistake.numbered(number))
        let name = Self.firstMistakes[number]
        let program = try #require(Corpus.mistakes.first { $0.name == name })
        #expect(program.text.contains(mistake.code))
        let found = try #require(await Self.mistakes.value.diagnostics[program.url])
        let messages = found.map { $0.message.replacing(#/ \(from macro '.*'\)$/#, with: "") }
        #expect(messages == [mistake.message])
    }

    @Test func thereAreMoreThanAHundred() {
        #expect(Corpus.mistakes.count > 100)
    }

    private static let mistakes = Task {
        try await Batch(Corpus.mistakes.map(\.url), with: [Corpus.prelude], options: [])
    }

    private static let twins = Task {
        try await Batch(
            Corpus.mistakes.map(\.url), with: [Corpus.prelude], options: ["-D", "TWIN"])
    }
}
