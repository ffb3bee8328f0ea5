import Dispatch
import Duramen
import DuramenMemory
import DuramenModel
import DuramenStore
import DuramenTestKit
import Foundation
import StoreTestSupport
import Testing

/// What is told of a migration, and how it ends before its end.
@Suite struct MigrationProgressTests {
    private static func model(_ edit: (inout EntityDescription) -> Void) throws
        -> ManagedObjectModel
    {
        var item = EntityDescription(
            name: "Item",
            attributes: [
                AttributeDescription("number", .integer64, isOptional: true),
                AttributeDescription("text", .string, isOptional: true),
            ],
            relationships: [
                .toOne("next", destination: "Item", inverse: "previous"),
                .toMany("previous", destination: "Item"),
            ])
        edit(&item)
        return try ManagedObjectModel([item])
    }

    /// With a check of values, rows to write, and an index.
    private static func next() throws -> ManagedObjectModel {
        try model { item in
            item.attributes[0].type = .integer32
            item.attributes.append(AttributeDescription("count", .integer64, default: .integer(1)))
            item.uniquenessConstraints = [["text"]]
            item.relationships[0].isToMany = true
        }
    }

    private static func filled(_ kind: StoreKind) throws -> PersistentStoreDescription {
        let description =
            kind == .memory
            ? PersistentStoreDescription.memory(UUID().uuidString)
            : kind.description.durability(.unsafeNoSync)
        let old = try model { _ in }
        let container = try PersistentContainer.open(model: old, stores: [description])
        let context = container.makeContext()
        var last: ManagedObject?
        for number in 0..<2_000 {
            let item = ManagedObject(entity: old.entities[0], context: context)
            try item.setValue(Int64(number), forKey: "number")
            try item.setValue("text \(number)", forKey: "text")
            try item.setValue(last, forKey: "next")
            last = item
        }
        try context.save()
        try container.close()
        return description
    }

    private static func checksums(
        _ description: PersistentStoreDescription
    ) throws -> StoreChecksums {
        let store = try description.withoutMigration().open(model: model { _ in })
        defer { try? store.close() }
        return try StoreChecksums(reading: store.snapshot(), of: store)
    }

    @Test(arguments: StoreKind.allCases)
    func progressNeverFallsAndEndsAtOne(kind: StoreKind) throws {
        let description = try Self.filled(kind)
        defer { try? description.destroyStore() }
        let told = Locked<[MigrationProgress]>([])
        var policy = MigrationPolicy()
        policy.backup = .always
        let watched = description.migrating(policy).onMigration { progress in
            told.withLock { $0.append(progress) }
        }
        try watched.open(model: Self.next()).close()
        defer { for backup in description.migrationBackups { try? backup.destroyStore() } }
        let all = told.withLock { $0 }
        #expect(all.map(\.fraction) == all.map(\.fraction).sorted())
        #expect(all.last?.fraction == 1)
        #expect(all.first?.phase == .backup)
        #expect(Set(all.map(\.phase)).isSuperset(of: [.backup, .checks, .rows, .end]))
        #expect(all.allSatisfy { $0.location == description.location })
        #expect(all.allSatisfy { $0.rowsDone <= $0.rowsTotal })
        // All rows are written, or looked at where they are upgraded later.
        let rows = all.last { $0.rowsTotal > 0 }
        #expect(rows?.rowsDone == rows?.rowsTotal)
        #expect(rows?.rowsTotal.isMultiple(of: 2_000) == true)
        // Nothing is to be told of a store that is of the version.
        told.withLock { $0 = [] }
        try watched.open(model: Self.next()).close()
        #expect(told.withLock { $0.count } == 0)
    }

    @Test(
        "B10: A migration that is cancelled anywhere leaves the store as it was",
        arguments: StoreKind.allCases)
    func b10AMigrationThatIsCancelledAnywhereLeavesTheStoreAsItWas(kind: StoreKind) throws {
        let description = try Self.filled(kind)
        defer { try? description.destroyStore() }
        let before = try Self.checksums(description)
        var policy = MigrationPolicy()
        policy.backup = .always
        var place = 0
        while true {
            let count = Locked(0)
            let isEnd = Locked(false)
            let limit = place
            let cancelling = description.migrating(policy).onMigration { progress in
                let number = count.withLock { count in
                    count += 1
                    return count
                }
                if number > limit {
                    isEnd.withLock { $0 = progress.phase == .end }
                    progress.cancel()
                }
            }
            do {
                try cancelling.open(model: Self.next()).close()
                // It was at its end, or said less than before: reports keep a distance in time.
                #expect(isEnd.withLock { $0 } || count.withLock { $0 } <= limit)
                break
            } catch let error as StoreError {
                #expect(error.code == .cancelled)
            }
            #expect(description.migrationBackups.isEmpty)
            #expect(try Self.checksums(description) == before)
            place += 1
        }
        #expect(place >= 3)
        for backup in description.migrationBackups { try? backup.destroyStore() }
    }

    /// Statements and walks that are under way end too.
    @Test(arguments: StoreKind.allCases)
    func aMigrationThatAnotherThreadCancelsLeavesTheStoreAsItWas(kind: StoreKind) throws {
        let description = try Self.filled(kind)
        defer { try? description.destroyStore() }
        let before = try Self.checksums(description)
        let seed = randomSeed()
        var random = SplitMix64(seed: seed)
        for _ in 0..<rounds(20) {
            let microseconds = UInt32.random(in: 0...30_000, using: &random)
            let cancelling = description.onMigration { progress in
                guard progress.phase == .checks else { return }
                Thread.detachNewThread {
                    usleep(microseconds)
                    progress.cancel()
                }
            }
            do {
                try cancelling.open(model: Self.next()).close()
                // It was faster; the next round would find nothing to do.
                return
            } catch let error as StoreError {
                #expect(error.code == .cancelled)
            }
            #expect(try Self.checksums(description) == before)
        }
    }

    @Test(
        "B10: A container whose task is cancelled leaves the store as it was",
        arguments: StoreKind.allCases)
    func b10AContainerWhoseTaskIsCancelledLeavesTheStoreAsItWas(kind: StoreKind) async throws {
        let description = try Self.filled(kind)
        defer { try? description.destroyStore() }
        let before = try Self.checksums(description)
        let (started, go) = AsyncStream<Void>.makeStream()
        let gate = DispatchSemaphore(value: 0)
        let watched = description.onMigration { progress in
            if progress.phase != .checks { return }
            go.yield()
            gate.wait()
        }
        let model = try Self.next()
        let opening = Task {
            try await PersistentContainer(model: model, stores: [watched]).close()
        }
        for await _ in started { break }
        opening.cancel()
        gate.signal()
        let error = await #expect(throws: StoreError.self) { try await opening.value }
        #expect(error?.code == .cancelled)
        #expect(try Self.checksums(description) == before)
    }

    @Test("B10: The main actor answers while a store is migrated")
    func b10TheMainActorAnswersWhileAStoreIsMigrated() async throws {
        let description = try Self.filled(.sqlite)
        defer { try? description.destroyStore() }
        let gate = DispatchSemaphore(value: 0)
        let watched = description.onMigration { if $0.phase == .checks { gate.wait() } }
        let model = try Self.next()
        let opening = Task { @MainActor in
            try await PersistentContainer(model: model, stores: [watched]).close()
        }
        // It could not run if the migration, which waits for it, held the actor.
        await Task { @MainActor in await Task.yield() }.value
        await Task { @MainActor in _ = gate.signal() }.value
        try await opening.value
    }
}
