import DuramenFileStore
import DuramenStore
import Foundation
import StoreTestSupport
import Testing

/// One look at a folder in place of one at each of its files.
@Suite struct FolderWatchTests {
    private let folder = TemporaryFolder()
    private let manager = FileManager.default

    /// When the names in the folder changed last.
    private func changeTime() throws -> Date {
        let attributes = try manager.attributesOfItem(atPath: folder.path)
        return try #require(attributes[.modificationDate] as? Date)
    }

    /// Does something to the folder again and again, an odd number of times, until its time is
    /// another one.
    private func changing(_ body: () throws -> Void) throws {
        let before = try changeTime()
        repeat {
            try body()
            if try changeTime() != before { return }
            try body()
        } while true
    }

    private func make(_ name: String) throws {
        try Data().write(to: URL(fileURLWithPath: folder.file(name)))
    }

    @Test("Files are looked at once while nothing in their folder changes")
    func oneLook() throws {
        try make("a")
        let watch = FolderWatch(folder.path)
        var looks = 0
        for _ in 0..<3 {
            let change = watch.changes(settlingSeconds: -1_000_000) { () -> Int? in
                looks += 1
                return nil
            }
            #expect(change == nil)
        }
        #expect(looks == 1)
    }

    @Test("A file that is made, renamed or taken away is found")
    func changesAreFound() throws {
        try make("a")
        let (first, second) = (folder.file("a"), folder.file("b"))
        let watch = FolderWatch(folder.path)
        func look() -> String? {
            watch.changes(settlingSeconds: -1_000_000) {
                manager.fileExists(atPath: first) ? nil : "a is gone"
            }
        }
        #expect(look() == nil)
        var names = [first, second]
        try changing {
            try manager.moveItem(atPath: names[0], toPath: names[1])
            names.reverse()
        }
        #expect(look() == "a is gone")
        // What is amiss is said again until it is well.
        #expect(look() == "a is gone")
        try manager.moveItem(atPath: second, toPath: first)
        #expect(look() == nil)
    }

    @Test("What changed a moment ago is looked at again: a second change may have the same time")
    func youngChanges() throws {
        try make("a")
        let watch = FolderWatch(folder.path)
        var looks = 0
        for _ in 0..<3 {
            _ = watch.changes(settlingSeconds: 1_000_000) { () -> Int? in
                looks += 1
                return nil
            }
        }
        #expect(looks == 3)
    }

    @Test(
        "Times in whole seconds or milliseconds settle slowly, finer ones at once",
        arguments: [
            (0, 4.0), (120_000_000, 4.0), (123_000_000, 4.0), (123_456_789, 0.1), (1_000, 0.1),
        ])
    func settling(nanoseconds: Int, seconds: Double) {
        let time = SystemCalls.Time(seconds: 1_800_000_000, nanoseconds: nanoseconds)
        #expect(time.settlingSeconds == seconds)
    }

    @Test("Another folder at the path is another folder")
    func replacedFolders() throws {
        let (place, aside) = (folder.file("place"), folder.file("aside"))
        try manager.createDirectory(atPath: place, withIntermediateDirectories: false)
        let watch = FolderWatch(place)
        var looks = 0
        func look() {
            _ = watch.changes(settlingSeconds: -1_000_000) { () -> Int? in
                looks += 1
                return nil
            }
        }
        look()
        look()
        #expect(looks == 1)
        try manager.moveItem(atPath: place, toPath: aside)
        look()
        #expect(looks == 2)
        try manager.createDirectory(atPath: place, withIntermediateDirectories: false)
        look()
        #expect(looks == 3)
    }
}
