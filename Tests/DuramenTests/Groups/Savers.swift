import DuramenMemory
import DuramenModel
import DuramenStore
import DuramenTestKit
import Foundation
import Testing

@testable import Duramen

/// Contexts that save at once over a store that groups saves.
///
/// A save of another context is in the store until all of them wait, so that they are one group.
final class Savers: Sendable {
    let plan = FaultPlan(groupsSaves: true)
    let container: PersistentContainer

    init(_ model: ManagedObjectModel = Seismology.model) throws {
        container = try PersistentContainer.open(
            model: model, stores: [plan.faulty(.memory())])
    }

    var connection: StoreConnection { container.persistentStoreCoordinator.main }

    /// The number of saves that wait for the one in the store.
    var waitingCount: Int { connection.saveQueue?.count ?? 0 }

    /// Runs work on a thread that may block.
    func onThread<R: Sendable>(_ work: @escaping @Sendable () throws -> R) async throws -> R {
        try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread { continuation.resume(with: Result { try work() }) }
        }
    }

    /// Saves something while nobody leads.
    ///
    /// - Parameter body: Runs while the store has this save.
    func hold(_ body: @escaping @Sendable () -> Void) throws {
        plan.act(before: .save) { body() }
        try container.saveElsewhere { _ = $0.insertTag("first") }
    }

    /// Lets contexts prepare changes, and save them as one group.
    ///
    /// - Parameters:
    ///   - count: The number of contexts, each on its own thread.
    ///   - whileWaiting: Runs when all of them wait.
    ///   - prepare: Changes objects. Gets the number of the context.
    ///   - after: Runs when all saves have ended.
    /// - Returns: The errors of the saves by context.
    func save(
        _ count: Int, whileWaiting: @escaping @Sendable () -> Void = {},
        _ prepare: @escaping @Sendable (Int, ManagedObjectContext) throws -> Void,
        after: @escaping @Sendable (Int, ManagedObjectContext) throws -> Void = { _, _ in }
    ) async throws -> [(any Error)?] {
        try await onThread {
            let errors = Locked<[(any Error)?]>(Array(repeating: nil, count: count))
            let failures = Locked<[any Error]>([])
            let (prepared, saved, ended) = (DispatchGroup(), DispatchGroup(), DispatchGroup())
            let go = DispatchSemaphore(value: 0)
            for number in 0..<count {
                prepared.enter()
                saved.enter()
                ended.enter()
                Thread.detachNewThread {
                    let context = self.container.makeContext()
                    do {
                        try prepare(number, context)
                        try context.obtainPermanentIDs(for: context.insertedObjects)
                    } catch { failures.withLock { $0.append(error) } }
                    // So that they stay registered.
                    let objects = context.insertedObjects
                    prepared.leave()
                    go.wait()
                    do { try context.save() } catch { errors.withLock { $0[number] = error } }
                    saved.leave()
                    saved.wait()
                    do { try after(number, context) } catch {
                        failures.withLock { $0.append(error) }
                    }
                    withExtendedLifetime(objects) {}
                    ended.leave()
                }
            }
            prepared.wait()
            try self.hold {
                for _ in 0..<count { go.signal() }
                while self.waitingCount < count { sched_yield() }
                whileWaiting()
            }
            ended.wait()
            if let failure = failures.withLock({ $0.first }) { throw failure }
            return errors.withLock { $0 }
        }
    }

    /// The codes and magnitudes in the store.
    func stored() throws -> [String] {
        let context = container.makeContext()
        return try context.fetch(FetchRequest<Quake>().sorted(by: \.code)).map {
            "\($0.code) \($0.magnitude) \($0.region?.name ?? "-")"
        }
    }
}
