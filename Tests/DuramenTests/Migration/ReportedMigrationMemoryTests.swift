#if os(Linux)
import Duramen
import DuramenStore
import Foundation
import StoreTestSupport
import Testing

/// Reports about migrations that need many times the memory of the store. The processes are exit
/// tests, since what this one may use is everybody's.
@Suite struct ReportedMigrationMemoryTests {
    /// What all values of a store take, in bytes; many times what its migration may use.
    private static let valueBytes = 64 << 20
    private static let rowBytes = 8 << 10

    /// The next version fills a default, renames, converts and makes an index.
    private static func model(isNew: Bool) throws -> ManagedObjectModel {
        try ManagedObjectModel([
            EntityDescription(
                name: "Note",
                attributes: [
                    .text(isNew ? "body" : "text", was: "text"),
                    AttributeDescription("number", isNew ? .double : .integer32, isOptional: true),
                ]
                    + (isNew
                        ? [AttributeDescription("rank", .integer64, default: .integer(3))] : []),
                uniquenessConstraints: isNew ? [["number"]] : [])
        ])
    }

    private static func fill(_ store: VersionedStore) throws {
        let open = try store.description.open(model: model(isNew: false))
        var number: Int64 = 0
        while number < valueBytes / rowBytes {
            let rows = (0..<256).map { place in
                [
                    "text": StoredValue.letters(rowBytes),
                    "number": .integer(number + Int64(place)),
                ]
            }
            try open.insert("Note", all: rows)
            number += 256
        }
        try open.close()
    }

    @Test(
        "B11: The memory that a migration needs does not grow with the store",
        .enabled(if: MemoryLimit.isKnown, ResidentSize.unknown),
        arguments: [StoreKind.sqlite, .lmdb])
    func b11AMigrationHasABoundedMemory(kind: StoreKind) async throws {
        let store = VersionedStore(kind)
        defer { store.cleanUp() }
        try Self.fill(store)
        await #expect(processExitsWith: .success) {
            [name = kind.rawValue as String, location = store.description.location as String] in
            let kind = try #require(StoreKind(rawValue: name))
            let store = VersionedStore(kind, at: location)
            let model = try Self.model(isNew: true)
            // A request beyond the limit fails, which ends the process or throws.
            try MemoryLimit.set(bytesAboveNow: 24 << 20)
            try store.description.open(model: model).close()
        }
        let open = try store.description.withoutMigration().open(model: Self.model(isNew: true))
        defer { try? open.close() }
        let count = Self.valueBytes / Self.rowBytes
        #expect(try open.snapshot().count(open.query("Note")) == count)
        let last = try open.query("Note", compare("number", .equal, .double(Double(count - 1))))
        #expect(try open.keys(last) == [Int64(count)])
        #expect(
            try open.snapshot().count(open.query("Note", compare("rank", .equal, .integer(3))))
                == count)
    }

    @Test(
        "B11: A process with that limit cannot hold the store's values",
        .enabled(if: MemoryLimit.isKnown, ResidentSize.unknown))
    func b11TheLimitIsOne() async {
        await #expect(processExitsWith: .failure) {
            try MemoryLimit.set(bytesAboveNow: 24 << 20)
            let values = (0..<Self.valueBytes / Self.rowBytes).map { _ in
                [UInt8](repeating: 1, count: Self.rowBytes)
            }
            #expect(values.count == 0)
        }
    }
}

/// What a process may use of its own: neither files that it maps, nor pages of others.
enum MemoryLimit {
    /// Whether there is one. A sanitizer reserves many times what the program asks for.
    static var isKnown: Bool { bytes != nil && ResidentSize.isExact }

    static func set(bytesAboveNow more: Int) throws {
        let limit = rlim_t(try #require(bytes) + more)
        var limits = rlimit(rlim_cur: limit, rlim_max: limit)
        try #require(setrlimit(__rlimit_resource_t(RLIMIT_DATA.rawValue), &limits) == 0)
    }

    private static var bytes: Int? {
        let text = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)
        let line = text?.split(separator: "\n").first { $0.hasPrefix("VmData:") }
        return line?.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Int($0) }
            .map { $0 << 10 }
    }
}
#endif
