import DuramenModel
import DuramenPostgres
import DuramenStore
import DuramenTestKit
import StoreTestSupport
import Synchronization
import Testing

/// Connections that the server ends at any moment.
@Suite(.enabled(if: TestServer.isThere)) struct TerminationTests {
    private static let allowed: Set<StoreError.Code> = [.storeUnavailable, .snapshotExpired]

    @Test func everySaveIsWholeOrNotThereAndTheStoreGoesOn() throws {
        let schemas = try TestSchemas()
        defer { schemas.destroyAll() }
        let place = try schemas.nextWithRole().timeout(seconds: 20)
        let store = try place.open(model: FaultModel.model)
        let seed = randomSeed()
        let isOver = Atomic<Bool>(false)
        let progress = Atomic<Int>(0)
        let saved = Locked<Set<Int64>>([])
        let unknown = Atomic<Int>(0)
        try inThreads(4) { thread in
            if thread == 3 {
                defer { isOver.store(true, ordering: .releasing) }
                return try terminate(place, seed, progress)
            }
            var count = 0
            while !isOver.load(ordering: .acquiring) {
                count += 1
                switch thread {
                case 0: try read(store)
                default:
                    let keys = try attempt(store, asBatch: thread == 2 && count % 4 == 0, unknown)
                    saved.withLock { $0.formUnion(keys) }
                    progress.add(keys.count, ordering: .relaxed)
                }
            }
        }
        let stored = try store.keys(store.query("Tag"))
        #expect(Set(stored) == saved.withLock { $0 })
        #expect(stored.count > 0)
        print("\(stored.count) rows, \(unknown.load(ordering: .relaxed)) outcomes were unknown")
        let tracked = try #require(store as? any HistoryTrackingStore)
        #expect(try tracked.historyExtent() == nil)
        try store.close()
    }

    private func terminate(
        _ place: PersistentStoreDescription, _ seed: UInt64, _ progress: borrowing Atomic<Int>
    ) throws {
        let raw = try RawServer()
        var random = SplitMix64(seed: seed)
        var ended = 0
        while ended < TestSizes.terminations {
            let found = try raw.run(
                "SELECT pid FROM pg_stat_activity WHERE \(RawServer.about(place.location))")
            guard let row = found.randomElement(using: &random), let pid = row.first ?? nil else {
                continue
            }
            try raw.run("SELECT pg_terminate_backend(\(pid))")
            ended += 1
            let before = progress.load(ordering: .relaxed)
            let goal = before + Int.random(in: 1...9, using: &random)
            #expect(eventually { progress.load(ordering: .relaxed) >= goal })
        }
    }

    private func read(_ store: any PersistentStore) throws {
        do {
            let snapshot = try store.snapshot()
            let count = try snapshot.count(store.query("Tag"))
            let rows = try store.all("Tag", in: snapshot)
            #expect(rows.count == count)
        } catch let error as StoreError {
            if !Self.allowed.contains(error.code) { throw error }
        }
    }

    /// Saves three rows.
    ///
    /// - Returns: Their keys; none if nothing was saved.
    private func attempt(
        _ store: any PersistentStore, asBatch: Bool, _ unknown: borrowing Atomic<Int>
    ) throws -> [Int64] {
        var changes = ChangeSet()
        do {
            let keys = try store.allocateKeys(3, for: store.entity("Tag").id)
            for key in keys { changes.inserts.append(try store.row("Tag", key: key, [:])) }
            let part = changes
            if asBatch, let batches = store as? any BatchWritingStore {
                var heading = ChangeSet()
                heading.identifier = changes.identifier
                _ = try batches.writeBatch(heading) { (batch) throws(StoreError) in
                    _ = try batch.write(part)
                }
            } else {
                try store.saved(changes)
            }
            return Array(keys)
        } catch let error as StoreError {
            if Self.allowed.contains(error.code) { return [] }
            if error.code != .unknownOutcome { throw error }
            unknown.add(1, ordering: .relaxed)
            let isThere = try resolve(store, changes)
            return isThere ? changes.inserts.indices.map { changes.inserts.key(at: $0) } : []
        }
    }

    private func resolve(_ store: any PersistentStore, _ changes: ChangeSet) throws -> Bool {
        while true {
            do throws(StoreError) {
                return try store.generation(ofSave: changes.identifier) != nil
            } catch {
                // The look-up was ended too; it is made again until there is an answer.
                if !Self.allowed.contains(error.code) { throw error }
            }
        }
    }
}
