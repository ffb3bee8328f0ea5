#if os(Linux)
import Duramen
import DuramenStore
import Foundation
import StoreTestSupport
import Testing

/// Reports about migrations that need many times the memory of the store. The processes are exit
/// tests, since what this one may use is everybody's.
@Suite struct ReportedMigrationMemoryTests {
    /// What all values of a store take, in bytes. Its migration may use less: 64 MiB, and 16 MiB
    /// for pages.
    private static let valueBytes = 96 << 20
    private static let limitBytes = 80 << 20
    private static let rowBytes = 32 << 10
    private static var rowCount: Int { valueBytes / rowBytes }

    /// What the next version makes of a store.
    enum Change: String, CaseIterable, Codable, CustomTestStringConvertible {
        /// A default is filled in, a name is another one, and an index is made.
        case filled
        /// A value is another type's, so that its old column goes.
        case converted
        /// An entity leaves its parent, and its rows that table.
        case moved
        /// A step writes all rows.
        case stepped

        var testDescription: String { rawValue }
    }

    private static func model(_ change: Change? = nil) throws -> ManagedObjectModel {
        let isFilled = change == .filled
        let number = AttributeDescription(
            "number", change == .converted ? .double : .integer32, isOptional: true)
        let rank = AttributeDescription("rank", .integer64, default: .integer(3))
        return try ManagedObjectModel([
            EntityDescription(name: "Root"),
            EntityDescription(
                name: "Note", superentity: change == .moved ? nil : "Root",
                attributes: [.text(isFilled ? "body" : "text", was: "text"), number]
                    + (isFilled || change == .stepped ? [rank] : []),
                uniquenessConstraints: isFilled ? [["number"]] : []),
        ])
    }

    /// A stage whose step gives all rows another value, and back.
    private static func stepping(to next: ManagedObjectModel) throws -> StagedMigrationManager {
        var stage = CustomMigrationStage(
            migratingFrom: ManagedObjectModelReference(model: try model()),
            to: ManagedObjectModelReference(model: next))
        stage.steps = [4, 3].map { rank in
            .transform("Note", reading: [], writing: ["rank"]) { _, new in
                new["rank"] = Int64(rank)
            }
        }
        return try StagedMigrationManager([stage])
    }

    private static func fill(_ store: VersionedStore) throws {
        let open = try store.description.open(model: model())
        for start in stride(from: 0, to: rowCount, by: 128) {
            let rows = (start..<start + 128).map { number in
                ["text": StoredValue.letters(rowBytes), "number": .integer(Int64(number))]
            }
            try open.insert("Note", all: rows)
        }
        try open.close()
    }

    @Test(
        "B11: The memory that a migration needs does not grow with the store",
        .enabled(if: MemoryLimit.isKnown, ResidentSize.unknown),
        arguments: [StoreKind.sqlite, .lmdb], Change.allCases)
    func b11AMigrationHasABoundedMemory(kind: StoreKind, change: Change) async throws {
        let store = VersionedStore(kind)
        defer { store.cleanUp() }
        try Self.fill(store)
        // The engine keeps the pages of one transaction, up to 512 MiB.
        let isUnbounded = kind == .lmdb && change == .moved
        try await withKnownIssue("LMDB moves rows with all pages in memory") {
            await #expect(processExitsWith: .success) {
                [
                    name = kind.rawValue as String, location = store.description.location as String,
                    change = change as Change
                ] in
                let kind = try #require(StoreKind(rawValue: name))
                let store = VersionedStore(kind, at: location)
                let model = try Self.model(change)
                // A request beyond the limit fails, which ends the process or throws.
                try MemoryLimit.set(bytesAboveNow: Self.limitBytes)
                var description = store.description
                if change == .stepped {
                    var policy = MigrationPolicy()
                    policy.backup = .never
                    description = description.migrating(policy).migrating(
                        with: try Self.stepping(to: model))
                }
                try description.open(model: model).close()
            }
            try Self.check(store, change)
        } when: {
            isUnbounded
        }
    }

    /// Expects the migrated store to hold all rows.
    private static func check(_ store: VersionedStore, _ change: Change) throws {
        let open = try store.description.withoutMigration().open(model: model(change))
        defer { try? open.close() }
        #expect(try open.snapshot().count(open.query("Note")) == rowCount)
        let number = Int64(rowCount - 1)
        let last = compare(
            "number", .equal, change == .converted ? .double(Double(number)) : .integer(number))
        #expect(try open.keys(open.query("Note", last)).count == 1)
        if change == .filled || change == .stepped {
            let filled = try open.query("Note", compare("rank", .equal, .integer(3)))
            #expect(try open.snapshot().count(filled) == rowCount)
        }
    }

    @Test(
        "B11: A process with that limit cannot hold the store's values",
        .enabled(if: MemoryLimit.isKnown, ResidentSize.unknown))
    func b11TheLimitIsOne() async {
        await #expect(processExitsWith: .failure) {
            try MemoryLimit.set(bytesAboveNow: Self.limitBytes)
            let values = (0..<Self.rowCount).map { _ in
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
