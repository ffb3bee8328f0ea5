import DocumentationSupport
import Foundation
import Testing

/// The rules for sentences that people read, in documents, messages and comments.
struct ProseTests {
    @Test func fewSentencesAreLong() throws {
        let exceptions = try ProseExceptions.read()
        let sentences = try ReadTexts.sentences().filter { !exceptions.skips($0.path) }
        let long = sentences.filter(\.isLong)
        // Guards the scan itself: it finds thousands of sentences.
        #expect(sentences.count > 15_000)
        #expect(
            long.count * 100 <= sentences.count * 3,
            "\(long.count) of \(sentences.count):\n\(list(long))")
    }

    @Test func noSentenceHasAPhraseThatReadersStumbleOver() throws {
        let exceptions = try ProseExceptions.read()
        let found = try ReadTexts.sentences().filter { sentence in
            !exceptions.skips(sentence.path)
                && !sentence.stumbles(allowing: exceptions.phrases(in: sentence.path)).isEmpty
        }
        #expect(found.isEmpty, "Rewrite these, or list an exception:\n\(list(found))")
    }

    @Test func everyExceptionIsNeededAndHasAReason() throws {
        let exceptions = try ProseExceptions.read()
        let sentences = try ReadTexts.sentences()
        for entry in exceptions.entries {
            #expect(!entry.reason.isEmpty, "\(entry.phrase)")
            if entry.path != "*" {
                #expect(Repository.exists(Repository.root.appending(path: entry.path)))
            }
            guard entry.phrase != "*" else { continue }
            let isNeeded = sentences.contains { sentence in
                (entry.path == "*" || entry.path == sentence.path)
                    && sentence.stumbles(allowing: [entry.phrase])
                        != sentence.stumbles(allowing: [])
            }
            #expect(isNeeded, "Nothing needs the exception '\(entry.phrase)' of \(entry.path)")
        }
    }

    @Test(arguments: [
        ("What is saved is there.", ["What"]),
        ("Whoever saves first wins.", ["Whoever"]),
        ("It is no value, and is none of a type.", ["is no", "is none of"]),
        ("It is not a value, and whatever follows is nothing new.", []),
        ("The delegate is told; `is no` leads to nothing.", ["leads to", "is told"]),
    ])
    func phrasesAreFoundAsWholeWords(text: String, stumbles: [String]) {
        let sentences = Sentence.all(in: text, path: "", line: 1)
        #expect(sentences.count == 1)
        #expect(sentences.first?.stumbles(allowing: []) == stumbles)
    }

    @Test func wordsOfASentenceAreCounted() {
        let word = "word "
        let text = String(repeating: word, count: 25) + "end. " + String(repeating: word, count: 24)
        let sentences = Sentence.all(in: text + "`of code` (here).", path: "", line: 1)
        #expect(sentences.map(\.words.count) == [26, 26])
        #expect(sentences.allSatisfy { $0.isLong })
        #expect(!Sentence.all(in: String(repeating: word, count: 25), path: "", line: 1)[0].isLong)
    }

    @Test func documentsAreReadWithoutHeadingsAndCode() {
        let text = """
            # What it is

            One. Two
            goes on.

                let code = "Who is read"

            - Three.
            - Four.

            | A cell. | Another cell. |
            ```swift
            What
            ```
            """
        #expect(
            ReadTexts.inDocument(text, path: "").map(\.text)
                == ["One.", "Two goes on.", "Three.", "Four.", "A cell.", "Another cell."])
    }

    @Test func commentsAreReadWithoutCode() {
        let source = """
            /// First. It
            /// goes on.
            ///
            /// - Parameters:
            ///   - name: Second.
            /// - Returns: Third.
            ///
            ///     let code = 1
            /// ```
            /// What is code
            /// ```
            public func first() {}
            // MARK: - Not read
                // Fourth.
            let text = "// Not. A comment."
            """
        #expect(
            ReadTexts.inComments(source, path: "").map(\.text)
                == ["First.", "It goes on.", "Second.", "Third.", "Fourth."])
    }

    @Test func messagesAreReadAcrossLinesAndValues() {
        let source = #"""
            throw StoreError(
                .io, "The file '\(path)' of \(name("a)b")) "
                    + "cannot be read. Look at the disk.")
            // "This is a comment with words."
            connection.execute("SELECT a FROM b WHERE c")
            """#
        #expect(
            ReadTexts.inMessages(source, path: "").map(\.text)
                == ["The file 'X1' of X1 cannot be read.", "Look at the disk."])
    }

    private func list(_ sentences: [Sentence]) -> String {
        sentences.map { "\($0.path):\($0.line): \($0.text)" }.joined(separator: "\n")
    }
}
