import DuramenFileStore
import DuramenModel
import DuramenStore
import Foundation
import JSONStore
import Testing

/// What is about the file, and not about stores in general.
@Suite struct FileTests {
    private let folder = TemporaryFolder()

    @Test func theFileIsReadable() throws {
        let shelf = try Shelf(folder.path("a.json"))
        try shelf.add("é \"quoted\"", pages: 7)
        let text = try String(contentsOfFile: shelf.path, encoding: .utf8)
        #expect(text.contains(#""title" : "é \"quoted\"""#))
        #expect(text.contains(#""pages" : 7"#))
        #expect(text.contains(#""Book/1""#))
    }

    @Test(arguments: Durability.allCases)
    func aSaveOfAnyDurabilityIsRead(durability: Durability) throws {
        try Shelf(folder.path("a.json"), durability: durability).add("kept")
        #expect(try Shelf(folder.path("a.json")).titles() == ["kept"])
    }

    @Test func twoStoresOfOneFileSeeEachOthersSaves() throws {
        let mine = try Shelf(folder.path("a.json"))
        let yours = try Shelf(folder.path("a.json"))
        try mine.add("mine")
        try yours.add("yours")
        #expect(try mine.titles() == ["mine", "yours"])
        #expect(try yours.titles() == ["mine", "yours"])
        #expect(try mine.keys(1).isDisjoint(with: yours.keys(1)))
    }

    @Test func aSaveIsFoundByItsIdentifierAlsoAfterOthersAndAfterOpening() throws {
        var shelf = try Shelf(folder.path("a.json"))
        let first = try shelf.add("first")
        for number in 0..<3 { try shelf.add("later \(number)") }
        shelf = try Shelf(shelf.path)
        #expect(try shelf.store.generation(ofSave: first)?.rawValue == 1)
        #expect(try shelf.store.generation(ofSave: UUID()) == nil)
    }

    @Test func aSnapshotIsOfOneMomentWhileTheFileIsReplaced() throws {
        let shelf = try Shelf(folder.path("a.json"))
        try shelf.add("old")
        let snapshot = try shelf.store.snapshot()
        try Shelf(shelf.path).add("new")
        #expect(try shelf.titles(in: snapshot) == ["old"])
        #expect(try shelf.titles() == ["new", "old"])
    }

    @Test(arguments: [0, -1, Double.nan])
    func aWriterWaitsForTheLockNoLongerThanItWasTold(timeoutSeconds: Double) throws {
        let shelf = try Shelf(folder.path("a.json"), timeoutSeconds: timeoutSeconds)
        let other = try StoreFileLock(storePath: shelf.path, timeoutSeconds: 0)
        try other.withLock { () throws(StoreError) in
            expect(.storeBusy) { try shelf.add("never") }
        }
        try shelf.add("at last")
        #expect(try shelf.titles() == ["at last"])
    }

    @Test func whatAnInterruptedWriterLeftDoesNoHarm() throws {
        let shelf = try Shelf(folder.path("a.json"))
        try shelf.add("whole")
        try Data("half a fi".utf8).write(to: URL(filePath: shelf.path + ".new"))
        try shelf.add("next")
        #expect(try Shelf(shelf.path).titles() == ["next", "whole"])
        #expect(!FileManager.default.fileExists(atPath: shelf.path + ".new"))
    }

    @Test func aFileThatWasTakenAwayIsNotMadeAnew() throws {
        let shelf = try Shelf(folder.path("a.json"))
        try FileManager.default.removeItem(atPath: shelf.path)
        expect(.storeFileMoved) { try shelf.add("lost") }
        #expect(!FileManager.default.fileExists(atPath: shelf.path))
        _ = try Shelf(shelf.path)
        expect(.storeFileMoved) { try shelf.add("into another store") }
    }

    @Test func wrongPathsAreErrors() throws {
        expect(.folderMissing) { _ = try Shelf(folder.path("missing/a.json")) }
        expect(.invalidRequest) { _ = try Shelf("") }
        expect(.invalidRequest) { _ = try Shelf(folder.path("a") + "\0b") }
        expect(.foreignFile) { _ = try Shelf(folder.path("")) }
        expect(.storeMissing) { _ = try Shelf(folder.path("a.json"), isReadOnly: true) }
        try Data(#"{"name": "somebody else's"}"#.utf8).write(to: URL(filePath: folder.path("b")))
        expect(.foreignFile) { _ = try Shelf(folder.path("b")) }
    }

    @Test func aStoreForReadingOnlyIsNotWritten() throws {
        try Shelf(folder.path("a.json")).add("kept")
        let reader = try Shelf(folder.path("a.json"), isReadOnly: true)
        #expect(try reader.titles() == ["kept"])
        expect(.readOnly) { try reader.add("refused") }
    }

    @Test func aModelWithNothingInCommonIsRefused() throws {
        _ = try Shelf(folder.path("a.json"))
        let model = try ManagedObjectModel([EntityDescription(name: "Other")])
        expect(.incompatibleModel) {
            _ = try PersistentStoreDescription.json(folder.path("a.json")).open(model: model)
        }
    }

    @Test func aStoreIsCopiedDescribedAndTakenAway() throws {
        let shelf = try Shelf(folder.path("a.json"))
        try shelf.add("kept")
        let type = JSONStoreType()
        let copy = PersistentStoreDescription.json(folder.path("copy.json"))
        try type.copy(shelf.description, to: copy)
        expect(.invalidRequest) { try type.copy(shelf.description, to: copy) }
        // Both have one identity, so a program can have one of them open.
        expect(.invalidRequest) { _ = try Shelf(copy.location) }
        expect(.storeBusy) { try type.destroy(shelf.description) }
        try shelf.store.close()

        try type.setUserInfo(["note": .text("a copy"), "gone": .null], of: copy)
        #expect(try type.metadata(of: copy).userInfo == ["note": .text("a copy")])
        #expect(try type.metadata(of: shelf.description).userInfo == [:])
        #expect(try Shelf(copy.location).titles() == ["kept"])
        try type.destroy(copy)
        try type.destroy(copy)
        expect(.storeMissing) { _ = try type.metadata(of: copy) }
    }
}
