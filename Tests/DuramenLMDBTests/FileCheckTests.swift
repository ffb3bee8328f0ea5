import DuramenModel
import DuramenStore
import Foundation
import StoreTestSupport
import Testing

@testable import DuramenLMDB

/// When all of a file is checked: what its stamps say decides only where that was asked for.
@Suite struct FileCheckTests {
    private let folder = TemporaryFolder()

    private func description(_ check: FileCheck) -> PersistentStoreDescription {
        PersistentStoreDescription.lmdb(folder.file()).fileCheck(check)
    }

    /// Makes a store, whose last user leaves a mark.
    private func makeStore() throws -> StoreFolder {
        let store = try Library.open(folder.file())
        try store.insert("Tag", all: (0..<40).map { ["label": .text(StoredText("label \($0)"))] })
        try store.close()
        return try StoreFolder(folder.file())
    }

    /// Turns a bit of a number that the engine keeps and this library does not use: how many
    /// records the list of free pages has. A check of the whole file finds it.
    private func rotCount(_ place: StoreFolder) throws {
        try rot(place.data) { data in
            for page in [0, 4_096] { data[page + 40 + 32] ^= 1 }
        }
    }

    private func openingError(_ description: PersistentStoreDescription) -> StoreError.Code? {
        storeErrorCode { try description.open(model: Library.model).close() }
    }

    @Test("Bits that rot under a valid mark are found unless the mark was asked for")
    func rotUnderAMark() throws {
        let place = try makeStore()
        #expect(PersistentStoreDescription.lmdb(folder.file()).fileCheck == .automatic)
        try rotCount(place)
        #expect(CheckMark.isValid(place))
        #expect(openingError(description(.whenChanged).readOnly()) == nil)
        for check in [FileCheck.automatic, .always] {
            #expect(openingError(description(check)) == .damagedFile)
            #expect(openingError(description(check).readOnly()) == .damagedFile)
        }
        // Without its mark it is checked in any case.
        try FileManager.default.removeItem(atPath: place.mark)
        #expect(openingError(description(.whenChanged).readOnly()) == .damagedFile)
    }

    @Test("A large file is checked again a day after its last check, and when it changed")
    func largeFiles() throws {
        let place = try makeStore()
        // Nothing of it takes space, and the engine needs none of it.
        let file = try #require(FileHandle(forWritingAtPath: place.data))
        try file.truncate(atOffset: UInt64(FileCheck.smallFileBytes) + 4_096)
        try file.close()
        let checked = Date()
        func at(_ hours: Double) -> PersistentStoreDescription {
            description(.automatic).clock(
                StoreClock(date: { checked + hours * 3_600 }, StoreClock.system.elapsed))
        }
        // It changed, so it is checked, and marked at the end.
        #expect(openingError(at(0)) == nil)
        #expect(CheckMark(leftIn: place)?.checkTime == checked.timeIntervalSinceReferenceDate)
        // An opening without a check leaves the time as it is.
        #expect(openingError(at(10)) == nil)
        #expect(CheckMark(leftIn: place)?.checkTime == checked.timeIntervalSinceReferenceDate)
        try rotCount(place)
        #expect(openingError(at(23)) == nil)
        #expect(openingError(at(25)) == .damagedFile)
        // A clock that was set back says nothing.
        #expect(openingError(at(-1)) == .damagedFile)
        #expect(openingError(description(.always)) == .damagedFile)
        try rotCount(place)
        // A reader notes its check, so that the next one need not check again.
        #expect(openingError(at(30).readOnly()) == nil)
        try rotCount(place)
        #expect(openingError(at(40)) == nil)
        // A mark of an earlier build does not say when.
        let mark = try String(contentsOfFile: place.mark, encoding: .utf8)
        let old = mark.replacing(/"checkTime":[^,}]*,?/, with: "")
        #expect(old != mark)
        try writeFile(place.mark, old.replacing(",}", with: "}"))
        #expect(CheckMark.isValid(place))
        #expect(openingError(at(40)) == .damagedFile)
    }

    @Test("A damaged number of a head page does not bring back the state before the last save")
    func numbersOfHeadPages() throws {
        var count = 0
        for saves in 1...4 {
            let path = folder.file("\(saves).lmdb")
            for number in 0..<saves {
                let store = try Library.open(path)
                try store.insert("Tag", ["label": .text(StoredText("label \(number)"))])
                try store.close()
            }
            let place = try StoreFolder(path)
            for page in [0, 4_096] {
                for bit in 0..<64 {
                    func turn() throws {
                        try rot(place.data) { $0[page + 144 + bit / 8] ^= 1 << UInt8(bit % 8) }
                    }
                    try turn()
                    let found = storeErrorCode {
                        let store = try PersistentStoreDescription.lmdb(path).readOnly()
                            .open(model: Library.model)
                        defer { try? store.close() }
                        let tags = try store.snapshot().count(store.query("Tag"))
                        if tags != saves { throw StoreError(.io, "\(tags) tags") }
                    }
                    #expect(
                        found == nil || found == .damagedFile,
                        "\(saves) saves, page \(page), bit \(bit)")
                    if found != nil { count += 1 }
                    try turn()
                }
            }
            #expect(storeErrorCode { try Library.open(path).close() } == nil)
        }
        #expect(count > 200)
    }

    @Test("A head page that could not be written leaves the state before that commit")
    func headPageThatCouldNotBeWritten() throws {
        let path = folder.file()
        let place = try StoreFolder(path)
        func count() throws -> Int {
            let store = try Library.open(path)
            defer { try? store.close() }
            return try store.snapshot().count(store.query("Tag"))
        }
        for tags in 1...6 {
            let before = try? Data(contentsOf: URL(filePath: place.data))
            let store = try Library.open(path)
            try store.insert("Tag")
            try store.close()
            guard let before else { continue }
            // Last page and number of the state before, as the engine writes them then.
            let written = try Data(contentsOf: URL(filePath: place.data))
            let page = written[144] > written[4_096 + 144] ? 0 : 4_096
            var failed = written
            failed.replaceSubrange(
                page + 136..<page + 152, with: before[page + 136..<page + 152])
            try FileManager.default.removeItem(atPath: place.mark)
            try failed.write(to: URL(filePath: place.data))
            #expect(try count() == tags - 1)
            try written.write(to: URL(filePath: place.data))
            #expect(try count() == tags)
        }
    }
}
