import DuramenModel
import DuramenStore
import DuramenTestKit
import Foundation
import StoreTestSupport
import Testing

@testable import DuramenLMDB

/// The check of a file before the engine maps it: sound files pass, the mark of a clean end spares
/// it.
@Suite struct StructureTests {
    let folder = TemporaryFolder()
    private let manager = FileManager.default

    private func open() throws -> any PersistentStore {
        try Library.open(folder.file(), .relaxed)
    }

    /// Random saves and deletions of short and long rows.
    ///
    /// - Returns: Whether the file ended before its last page at some time.
    private func churn(_ seed: UInt64, rounds: Int) throws -> Bool {
        var random = SplitMix64(seed: seed)
        let place = try StoreFolder(folder.file("churn-\(seed).lmdb"))
        var ids: [ManagedObjectID] = []
        var wasShort = false
        for _ in 0..<rounds {
            let store = try Library.open(place.path, .relaxed)
            for _ in 0..<Int.random(in: 1...6, using: &random) {
                if Bool.random(using: &random) || ids.isEmpty {
                    let count = Int.random(in: 1...300, using: &random)
                    let long = Int.random(in: 0...1, using: &random) * 9_000
                    ids += try store.insert(
                        "Book",
                        all: (0..<count).map { number in
                            let length = number % 60 + (number % 9 == 0 ? long : 0)
                            return [
                                "title": .letters(length, "t")
                            ]
                        })
                } else {
                    ids.shuffle(using: &random)
                    let count = Int.random(in: 0...ids.count, using: &random)
                    let rows = try store.snapshot().rows(for: Array(ids.suffix(count)))
                    ids.removeLast(count)
                    try store.saved(
                        ChangeSet(
                            deletes: rows.map {
                                RowDeletion(
                                    id: $0.objectID(in: store.model, store: store.handle),
                                    baseVersion: $0.version)
                            }))
                }
            }
            #expect(try store.snapshot().count(store.query("Book")) == ids.count)
            try store.close()
            try StructureCheck.checkAll(place)
            let file = try #require(FilePages(path: place.data))
            let last = try #require(
                MetaPage.both(of: file)?.max { $0.transaction < $1.transaction })
            if (last.lastPage + 1) * last.pageBytes > file.byteCount { wasShort = true }
            try manager.removeItem(atPath: place.mark)
        }
        return wasShort
    }

    @Test("A sound file passes, whatever was saved and deleted in it")
    func soundFiles() throws { _ = try churn(randomSeed(), rounds: repetitions(6)) }

    @Test("A file that ends before its last page passes: free pages need not have been written")
    func shortFiles() throws {
        // How pages are taken depends on every size; one of these has such a file.
        var wasShort = false
        for seed in 37...76 as ClosedRange<UInt64> where !wasShort {
            wasShort = try churn(seed, rounds: 6)
        }
        #expect(wasShort)
    }

    @Test("The mark of a clean end is true until the file is changed by other means")
    func theMark() throws {
        let place = try StoreFolder(folder.file())
        let store = try open()
        #expect(!CheckMark.isValid(place))
        try store.insert("Tag", ["label": .text("a")])
        try store.close()
        #expect(CheckMark.isValid(place))
        // Another clean use renews it.
        let again = try open()
        try again.insert("Tag")
        #expect(!CheckMark.isValid(place))
        try again.close()
        #expect(CheckMark.isValid(place))
        // One for reading leaves it.
        try PersistentStoreDescription.lmdb(folder.file()).readOnly().open(model: Library.model)
            .close()
        #expect(CheckMark.isValid(place))
        // The engine used by others.
        try RawEnvironment.write(folder.file()) { (transaction) throws(StoreError) in
            _ = try transaction.table("rows-99", creates: true)
        }
        #expect(!CheckMark.isValid(place))
        try open().close()
        #expect(CheckMark.isValid(place))
        // A copy put in its place, with the same times.
        let aside = folder.file("aside")
        try manager.copyItem(atPath: place.data, toPath: aside)
        let time = try manager.attributesOfItem(atPath: place.data)[.modificationDate]
        try manager.removeItem(atPath: place.data)
        try manager.moveItem(atPath: aside, toPath: place.data)
        try manager.setAttributes(
            [.modificationDate: time ?? Date()], ofItemAtPath: place.data)
        #expect(!CheckMark.isValid(place))
        try open().close()
        // Bytes written over.
        var data = try Data(contentsOf: URL(filePath: place.data))
        data[data.count - 1] ^= 1
        try data.write(to: URL(filePath: place.data))
        #expect(!CheckMark.isValid(place))
        try writeFile(place.mark, "{")
        #expect(!CheckMark.isValid(place))
    }

    @Test("A process that dies leaves no mark, and the next one checks and goes on")
    func afterADeath() async throws {
        let path = folder.file()
        try open().close()
        await #expect(processExitsWith: .failure) { [path = path as String] in
            let store = try Library.open(path)
            try store.insert("Tag", ["label": .text("a")])
            _ = try store.snapshot()
            kill(getpid(), SIGKILL)
        }
        #expect(!CheckMark.isValid(try StoreFolder(path)))
        let store = try open()
        #expect(try store.snapshot().count(store.query("Tag")) == 1)
        try store.close()
        #expect(CheckMark.isValid(try StoreFolder(path)))
    }
}
