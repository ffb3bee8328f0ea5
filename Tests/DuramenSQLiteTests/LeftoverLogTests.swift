import DuramenModel
import DuramenSQLite
import DuramenStore
import DuramenTestKit
import Foundation
import StoreTestSupport
import Testing

/// A file beside the log of a process that died, or of the file that it replaced.
@Suite struct LeftoverLogTests {
    let folder = TemporaryFolder()
    private let manager = FileManager.default

    /// The files of a store at one moment, as a process that dies then leaves them.
    private struct Moment {
        var file: Data
        var log: Data
        /// The labels that the store has.
        var labels: [Int64]
    }

    private func moment(_ path: String, _ labels: [Int64]) throws -> Moment {
        Moment(
            file: try Data(contentsOf: URL(fileURLWithPath: path)),
            log: (try? Data(contentsOf: URL(fileURLWithPath: path + "-wal"))) ?? Data(),
            labels: labels)
    }

    private func place(_ file: Data, beside log: Data, at path: String) throws {
        for name in try manager.contentsOfDirectory(atPath: folder.path)
        where name.contains(".foreign") {
            try manager.removeItem(atPath: folder.file(name))
        }
        try FilesOfStore.place(file, beside: log, at: path)
    }

    private func labels(_ path: String) throws -> [Int64] { try FilesOfStore.labels(path) }

    /// What becomes of a store by saves, checkpoints, closings and openings.
    ///
    /// - Parameters:
    ///   - path: The store.
    ///   - labels: The labels that it has already.
    ///   - random: The random numbers.
    private func moments(
        _ path: String, after labels: [Int64], _ random: inout SplitMix64
    ) throws -> [Moment] {
        var store = try Library.open(path, .relaxed)
        var labels = labels
        let first = (labels.last ?? 0) + 1_000_000
        var moments: [Moment] = []
        for step in 0..<40 {
            switch Int.random(in: 0..<10, using: &random) {
            case 0:
                try store.close()
                moments.append(try moment(path, labels))
                store = try Library.open(path, .relaxed)
            case 1, 2: _ = try store.maintainIfCapable()
            default:
                for _ in 0..<Int.random(in: 1...60, using: &random) {
                    labels.append(first + Int64(step * 100 + labels.count))
                    try store.insert(
                        "Book", ["pages": .integer(labels[labels.count - 1])])
                }
            }
            if !labels.isEmpty { moments.append(try moment(path, labels)) }
        }
        try store.close()
        moments.append(try moment(path, labels))
        return moments
    }

    /// Any file beside any log: what is read is one state that there was, never a mixture, and
    /// nothing that the file has is missing.
    @Test func aFileBesideAnyLogIsReadWholeOrRefused() throws {
        var random = SplitMix64(seed: randomSeed())
        let moments = try self.moments(folder.file("first.sqlite"), after: [], &random)
        let others = try self.moments(folder.file("second.sqlite"), after: [], &random)
        let path = folder.file()
        for moment in moments {
            try place(moment.file, beside: moment.log, at: path)
            #expect(try labels(path) == moment.labels, "as a process left it")
        }
        // A copy that was restored and then continued in another way.
        let copy = try #require(moments.prefix(25).randomElement(using: &random))
        try place(copy.file, beside: copy.log, at: path)
        let branch = try self.moments(path, after: copy.labels, &random)
        // Each save added one: a state that there was is a beginning of all.
        let all = [moments, branch].map { $0[$0.count - 1].labels }
        // The first pages of a new store are all in its log.
        let files = try (moments + branch).compactMap { moment -> Moment? in
            try place(moment.file, beside: Data(), at: path)
            let labels = try labels(path)
            return labels.isEmpty ? nil : Moment(file: moment.file, log: Data(), labels: labels)
        }
        var refused = 0
        for _ in 0..<repetitions(60) {
            let place = Int.random(in: files.indices, using: &random)
            let isOther = Int.random(in: 0..<4, using: &random) == 0
            let logs = isOther ? others : moments + branch
            // Files and logs with one newest save differ in what else was written: indexes, models.
            let few = Bool.random(using: &random) ? 0 : 60
            let alike = logs.indices.filter {
                abs(logs[$0].labels.count - files[place].labels.count) <= few
            }
            let logPlace =
                Bool.random(using: &random) && !alike.isEmpty
                ? alike[Int.random(in: alike.indices, using: &random)]
                : Int.random(in: logs.indices, using: &random)
            let (file, log) = (files[place], logs[logPlace])
            let what =
                "file \(place) of \(files.count), \(file.labels.count) labels; log \(logPlace) of "
                + "\(isOther ? "another" : "it"), \(log.log.count) bytes, \(log.labels.count) labels"
            try self.place(file.file, beside: log.log, at: path)
            let code = storeErrorCode { try labels(path) }
            if code == .foreignLog {
                refused += 1
                #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == file.file)
                #expect(
                    try Data(contentsOf: URL(fileURLWithPath: path + "-wal.foreign")) == log.log)
            }
            #expect(code == nil || code == .foreignLog, "\(what)")
            let found = (try? labels(path)) ?? []
            #expect(
                found.starts(with: file.labels)
                    && all.contains { $0.prefix(found.count).elementsEqual(found) },
                "a mixture, \(code as Any), \(found.count): \(what)")
            if code == nil, let sound = try? RawDatabase.texts(path, "PRAGMA integrity_check") {
                #expect(sound == ["ok"], "\(what)")
            }
        }
        #expect(refused > 0)
    }

    @Test func aRestoredCopyBesideTheLogOfItsSuccessorIsKept() throws {
        let path = folder.file()
        var store = try Library.open(path)
        try store.insert("Book", ["pages": .integer(1)])
        try store.close()
        let copy = try Data(contentsOf: URL(fileURLWithPath: path))
        store = try Library.open(path)
        for pages in 2...40 as ClosedRange<Int64> {
            try store.insert("Book", ["pages": .integer(pages)])
        }
        _ = try store.maintainIfCapable()
        try store.insert("Book", ["pages": .integer(41)])
        let crash = try moment(path, [])
        try store.close()

        try place(copy, beside: crash.log, at: path)
        // One who only reads moves nothing.
        let reading = PersistentStoreDescription.sqlite(path).readOnly()
        #expect(storeErrorCode { try reading.open(model: Library.model) } == .foreignLog)
        #expect(storeErrorCode { try reading.type.metadata(of: reading) } == .foreignLog)
        #expect(try Data(contentsOf: URL(fileURLWithPath: path + "-wal")) == crash.log)
        let error = #expect(throws: StoreError.self) { try Library.open(path) }
        #expect(error?.code == .foreignLog)
        #expect(error?.message.contains(path + "-wal.foreign") == true)
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == copy)
        #expect(try labels(path) == [1])

        // The log and its own file are put back.
        try place(crash.file, beside: crash.log, at: path)
        #expect(try labels(path) == Array(1...41))
    }

    /// The row of save 49 is in two sectors, the whole identifier in the second one.
    @Test(arguments: [5, 48])
    func aLogThatContinuesAnEarlierStateInAnotherWayIsSetAside(common saves: Int64) throws {
        let path = folder.file()
        var store = try Library.open(path)
        for pages in 1...saves {
            try store.insert("Book", ["pages": .integer(pages)])
        }
        try store.close()
        let common = try moment(path, [])
        store = try Library.open(path)
        for pages in saves + 1...saves + 4 {
            try store.insert("Book", ["pages": .integer(pages)])
        }
        let crash = try moment(path, [])
        try store.close()
        // The copy is restored, used, and closed; then the log comes back.
        try place(common.file, beside: Data(), at: path)
        store = try Library.open(path)
        try store.insert("Book", ["pages": .integer(100)])
        try store.close()
        try place(try moment(path, []).file, beside: crash.log, at: path)
        #expect(storeErrorCode { try Library.open(path) } == .foreignLog)
        #expect(try labels(path) == Array(1...saves) + [100])
    }

    @Test func aLogFromBeforeAnIndexWasMadeIsSetAside() throws {
        let path = folder.file()
        let store = try Library.open(path)
        for pages in 1...300 as ClosedRange<Int64> {
            try store.insert("Book", ["pages": .integer(pages)])
        }
        let crash = try moment(path, [])
        try store.close()
        // The newest save of the log and of the file is the same.
        _ = try RawDatabase.texts(path, "CREATE INDEX FOREIGN_PAGES ON ZBOOK(ZPAGES)")
        let file = try Data(contentsOf: URL(fileURLWithPath: path))
        try place(file, beside: crash.log, at: path)
        #expect(storeErrorCode { try Library.open(path) } == .foreignLog)
        #expect(try labels(path) == Array(1...300))
        #expect(try RawDatabase.texts(path, "PRAGMA integrity_check") == ["ok"])
    }

    @Test func theLogOfAnotherStoreIsSetAside() throws {
        let (first, second) = (folder.file("first.sqlite"), folder.file("second.sqlite"))
        for (path, pages) in [(first, 1), (second, 2)] as [(String, Int64)] {
            let store = try Library.open(path)
            try store.insert("Book", ["pages": .integer(pages)])
            try store.close()
        }
        let own = try moment(first, [])
        let store = try Library.open(second)
        try store.insert("Book", ["pages": .integer(3)])
        let other = try moment(second, [])
        try store.close()
        try place(own.file, beside: other.log, at: folder.file())
        #expect(storeErrorCode { try Library.open(folder.file()) } == .foreignLog)
        #expect(try labels(folder.file()) == [1])
    }
}
