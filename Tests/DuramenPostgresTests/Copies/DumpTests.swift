import DuramenModel
import DuramenStore
import Foundation
import StoreTestSupport
import Testing

@testable import DuramenPostgres

/// Stores that are dumped, restored and copied by the engine's own means.
@Suite(.enabled(if: TestServer.isThere)) struct DumpTests {
    /// Runs a program, and returns its output; nil if it is not installed.
    static func output(
        _ program: String, _ arguments: [String], input: Data? = nil
    ) throws -> Data? {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = [program] + arguments
        let (output, feed) = (Pipe(), Pipe())
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        process.standardInput = feed
        try process.run()
        Thread.detachNewThread {
            if let input { try? feed.fileHandleForWriting.write(contentsOf: input) }
            try? feed.fileHandleForWriting.close()
        }
        let data = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        if process.terminationStatus == 127 { return nil }
        guard process.terminationStatus == 0 else {
            throw StoreError(.io, "\(program) ended with \(process.terminationStatus)")
        }
        return data
    }

    /// Dumps a schema; nil without the program.
    static func dump(_ place: PersistentStoreDescription) throws -> Data? {
        let dumped = try output(
            "pg_dump", ["--schema", place.quoted, "--no-owner", try TestServer.location()])
        if dumped == nil { recordNotTested("dumps", because: "there is no pg_dump here") }
        return dumped
    }

    static func restore(_ dump: Data, _ location: String) throws {
        _ = try output("psql", ["--quiet", "-v", "ON_ERROR_STOP=1", location], input: dump)
    }

    @Test func aDumpIsRestoredAndNumbersGoOnAbove() throws {
        let schemas = try TestSchemas()
        defer { schemas.destroyAll() }
        let place = schemas.next()
        var store = try place.open(model: FaultModel.model)
        try #require(store as? any HistoryTrackingStore).beginHistory()
        let ids = try store.insert(
            "Tag", all: (0..<5).map { ["label": .text(StoredText("\($0)"))] })
        for id in ids { try store.saved(ChangeSet(updates: [store.update(id, ["label": .null])])) }
        let last = try store.snapshot().generation
        try store.close()
        guard let dump = try Self.dump(place) else { return }
        let other = try TestDatabase()
        defer { other.drop() }
        try Self.restore(dump, other.location)
        let copy = PersistentStoreDescription.postgres(other.location, schema: place.location)
            .allowingUnsafeServer()
        store = try copy.open(model: FaultModel.model)
        #expect(try store.snapshot().generation == last)
        #expect(try store.keys(store.query("Tag")) == ids.map(\.key))
        let next = try store.insert("Tag", ["label": .text("next")])
        #expect(!ids.map(\.key).contains(next.key))
        #expect(try store.snapshot().generation > last)
        // The copy has the identity of the original, and is refused beside it.
        #expect(storeErrorCode { try place.open(model: FaultModel.model) } == .invalidRequest)
        try store.close()
        try place.open(model: FaultModel.model).close()
    }

    @Test func sequencesThatStayedBehindAreRaised() throws {
        let schemas = try TestSchemas()
        defer { schemas.destroyAll() }
        let place = schemas.next()
        var store = try place.open(model: FaultModel.model)
        try #require(store as? any HistoryTrackingStore).beginHistory()
        try store.insert("Tag", all: [[:], [:], [:]])
        for _ in 0..<3 { try store.insert("Tag") }
        let last = try store.snapshot().generation
        try store.close()
        let raw = try RawServer()
        for sequence in ["order_numbers", "change_numbers"] {
            try raw.run("SELECT setval('\(place.quoted).\(sequence)', 1, false)")
        }
        store = try place.open(model: FaultModel.model)
        try store.insert("Tag")
        #expect(try store.snapshot().generation > last)
        let history = try #require(store as? any HistoryTrackingStore).history(HistoryRequest())
        let numbers = history.flatMap { $0.changes ?? [] }.map(\.changeID)
        #expect(numbers.count == 7)
        #expect(Set(numbers).count == 7)
        #expect(numbers == numbers.sorted())
        // Nothing is raised when nothing is behind.
        let before = try raw.number("SELECT last_value FROM \(place.quoted).order_numbers")
        try store.close()
        try place.open(model: FaultModel.model).close()
        #expect(
            try raw.number("SELECT last_value FROM \(place.quoted).order_numbers") == before)
    }
}
