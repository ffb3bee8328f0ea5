import DuramenModel
import DuramenStore
import DuramenTestKit
import Foundation
import JSONStore
import Testing

/// A file may have been edited, cut short or made up: it is refused or answered, and never traps.
@Suite struct DamageTests {
    private let folder = TemporaryFolder()

    /// A sound file with every part that a file has.
    private func soundFile() throws -> String {
        let shelf = try Shelf(folder.path("sound.json"))
        try shelf.add("first", pages: 1)
        try shelf.add("second")
        try shelf.store.close()
        return try String(contentsOfFile: shelf.path, encoding: .utf8)
            .replacing(#""pages" : 1"#, with: #""pages" : 1, "sequel" : "Book/2""#)
            .replacing(
                #""pairs" : {"#, with: #""pairs" : { "Book.quotedBy" : { "Book/1" : ["Book/2"] }"#)
    }

    private func open(_ text: some StringProtocol) throws -> Shelf {
        let path = folder.path("\(UUID().uuidString).json")
        try Data(text.utf8).write(to: URL(filePath: path))
        return try Shelf(path)
    }

    @Test func theSoundFileIsRead() throws {
        let shelf = try open(soundFile())
        #expect(try shelf.titles() == ["first", "second"])
    }

    @Test(arguments: [
        // What is replaced, and by what.
        (#""Book/2" :"#, #""Book/2x" :"#), (#""Book/2" :"#, #""Boat/2" :"#),
        (#""Book/2" :"#, #""Book/-2" :"#), (#""Book/2" :"#, #""Book/999" :"#),
        (#""Book/2" :"#, #""Book/9223372036854775807" :"#), (#""Book/2" :"#, #""Book/02" :"#),
        (#""pages" : 1,"#, #""pages" : 40000,"#), (#""pages" : 1,"#, #""pages" : "1","#),
        (#""pages" : 1,"#, #""pages" : 1.5,"#), (#""pages" : 1,"#, #""pages" : [1],"#),
        (#""pages" : 1,"#, #""pages" : null,"#), (#""pages" : 1,"#, #""paces" : 1,"#),
        (#""sequel" : "Book/2""#, #""sequel" : 2"#),
        (#""sequel" : "Book/2""#, #""sequel" : "Book""#),
        (#""sequel" : "Book/2""#, #""prequels" : "Book/2""#),
        (#""version" : 2"#, #""version" : 99"#), (#""version" : 2"#, #""version" : -1"#),
        (#""generation" : 2"#, #""generation" : 9223372036854775807"#),
        (#""generation" : 2"#, #""generation" : -1"#), (#""generation" : 2"#, #""generation" : 0"#),
        (#""Book.quotedBy""#, #""Book.sequel""#),
        (#"["Book/2"]"#, #"["Book"]"#), (#"["Book/2"]"#, #""Book/2""#),
    ])
    func aWrongPartIsNamed(_ change: (String, String)) throws {
        let sound = try soundFile()
        let wrong = sound.replacing(change.0, with: change.1)
        try #require(wrong != sound)
        expect(.damagedFile) { _ = try open(wrong) }
    }

    @Test(arguments: ["generation", "Book"])
    func theLastNumbersAreNotUsed(of name: String) throws {
        let last = (1 << 62) - 1
        let text = try soundFile().replacing(
            try Regex("\"\(name)\" : \\d+"), with: "\"\(name)\" : \(last)")
        let shelf = try open(text)
        expect(.tooLarge) { try shelf.add("one more") }
        try shelf.store.close()
        #expect(try Shelf(shelf.path).titles() == ["first", "second"])
    }

    @Test func aNewerFormatIsRefused() throws {
        let text = try soundFile().replacing(
            #""formatVersion" : 2"#, with: #""formatVersion" : 3"#)
        expect(.newerFormat) { _ = try open(text) }
    }

    @Test func aFileCutShortAnywhereIsRefused() throws {
        let bytes = try Array(soundFile().utf8)
        for count in 0..<bytes.count {
            #expect(throws: StoreError.self, "after \(count) bytes") {
                try open(String(decoding: bytes[..<count], as: UTF8.self))
            }
        }
    }

    @Test func aFileWithAnyByteChangedIsRefusedOrAnswered() throws {
        let seed = UInt64.random(in: 0...UInt64.max)
        var generator = SplitMix64(seed: seed)
        let bytes = try Array(soundFile().utf8)
        for place in bytes.indices {
            let byte = UInt8.random(in: 32...126, using: &generator)
            var changed = bytes
            changed[place] = byte
            do {
                let shelf = try open(String(decoding: changed, as: UTF8.self))
                _ = try shelf.titles()
                try shelf.add("one more")
                try shelf.store.close()
            } catch is StoreError {
            } catch {
                Issue.record("seed \(seed), byte \(place) as \(byte): \(error)")
            }
        }
    }
}
