import ExampleSupport
import Testing

/// Collects what is written to it.
private final class Transcript: TextOutputStream {
    var text = ""

    func write(_ string: String) { text += string }
}

@Suite struct ProgressBarTests {
    private let transcript = Transcript()

    private func bar(isTerminal: Bool) -> ProgressBar<Transcript> {
        ProgressBar(title: "Reading", output: transcript, isTerminal: isTerminal)
    }

    @Test func elsewhereThanOnATerminalALineIsPrintedPerTenth() {
        var bar = bar(isTerminal: false)
        for done in 0...1000 { bar.update(completed: done, total: 1000, note: "\(done)") }
        bar.finish(note: "all")
        let lines = transcript.text.split(separator: "\n")
        #expect(lines.count == 11)
        #expect(lines.first == "Reading  0 %  0")
        #expect(lines[3] == "Reading  30 %  300")
        #expect(lines.last == "Reading  100 %  all")
        #expect(!transcript.text.contains("\u{1B}"))
    }

    @Test func onATerminalTheLineIsRedrawnWhenThePercentageChanges() {
        var bar = bar(isTerminal: true)
        for done in 0...1000 { bar.update(completed: done, total: 1000) }
        bar.finish(note: "all")
        #expect(transcript.text.count { $0 == "\r" } == 102)
        #expect(transcript.text.count { $0 == "\n" } == 1)
        #expect(transcript.text.hasSuffix("100 %  all\u{1B}[K\n"))
    }

    @Test func aLineNeverGetsWiderThanTheTerminal() {
        var bar = bar(isTerminal: true)
        bar.update(completed: 1, total: 2, note: String(repeating: "x", count: 200))
        #expect(transcript.text.count == 79 + "\r\u{1B}[K".count)
    }

    @Test func workOfUnknownSizeShowsItsNoteAtEachStep() {
        var bar = bar(isTerminal: false)
        for done in 0..<4 { bar.update(completed: done << 19, total: nil, note: "\(done)") }
        #expect(transcript.text == "Reading  0\nReading  2\n")
    }

    @Test func controlCharactersDoNotReachTheTerminal() {
        var bar = bar(isTerminal: true)
        bar.update(completed: 0, total: 1, note: "a\u{1B}]0;b\u{7}")
        #expect(transcript.text.contains("a\u{FFFD}]0;b\u{FFFD}"))
    }

    @Test func emptyWorkIsDone() {
        var bar = bar(isTerminal: true)
        bar.update(completed: 0, total: 0)
        #expect(transcript.text.contains("100 %"))
    }
}
