import Duramen
import DuramenMemory
import DuramenModel
import DuramenTestKit
import Foundation
import StoreTestSupport
import Testing

/// Many writers of one object, each of whom refreshes it and tries again when somebody else was
/// first.
@Suite(.serialized) struct FairnessTests {
    // 64 writers in a run at full size. With fewer saves most meet nobody, and the median says
    // nothing.
    private static let saves = 12
    private static let writers = repetitions(2) >= 100 ? 64 : 16

    /// How often each writer tried until its saves were through.
    private func tries(_ containers: [PersistentContainer], _ id: ManagedObjectID) -> [Int] {
        let tries = Locked([Int](repeating: 0, count: Self.writers))
        let failures = Locked<[String]>([])
        DispatchQueue.concurrentPerform(iterations: 1) { _ in
            let group = DispatchGroup()
            for writer in 0..<Self.writers {
                group.enter()
                let container = containers[writer % containers.count]
                Thread.detachNewThread {
                    defer { group.leave() }
                    do {
                        let context = container.newBackgroundContext()
                        for _ in 0..<Self.saves {
                            var isSaved = false
                            while !isSaved {
                                tries.withLock { $0[writer] += 1 }
                                isSaved = try context.performAndWait { context in
                                    do {
                                        try context.refreshAllObjects()
                                        let quake = try context.existingObject(
                                            with: id, as: Quake.self)
                                        quake.magnitude += 1
                                        try context.save()
                                        return true
                                    } catch is SaveConflictError {
                                        context.rollback()
                                        return false
                                    } catch let error as StoreError
                                        where error.code == .readersExhausted
                                    {
                                        // Too many of them hold states at this moment.
                                        context.rollback()
                                        return false
                                    }
                                }
                            }
                        }
                    } catch { failures.withLock { $0.append("\(error)") } }
                }
            }
            group.wait()
        }
        #expect(failures.withLock { $0 } == [])
        return tries.withLock { $0 }.sorted()
    }

    @Test(arguments: StoreKind.allCases, [1, 8])
    func noWriterNeedsManyMoreTriesThanTheOthers(kind: StoreKind, stores: Int) throws {
        var description = kind.description.timeout(seconds: 60)
        if kind == .memory { description = .memory(UUID().uuidString) }
        description = description.durability(.unsafeNoSync)
        let containers = try (0..<stores).map { _ in
            try PersistentContainer.open(model: Seismology.model, stores: [description])
        }
        let context = containers[0].makeContext()
        let quake = context.insertQuake("a")
        try context.save()
        let start = quake.magnitude
        let tries = tries(containers, quake.objectID)
        let median = tries[Self.writers / 2]
        print("\(kind), \(stores): \(tries[0]), \(median), \(tries[Self.writers - 1])")
        #expect(tries[Self.writers - 1] <= 8 * median)
        try context.refreshAllObjects()
        #expect(quake.magnitude - start == Double(Self.writers * Self.saves))
        for container in containers { try container.close() }
    }
}
