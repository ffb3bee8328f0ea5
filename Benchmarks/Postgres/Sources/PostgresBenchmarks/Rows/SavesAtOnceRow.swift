import Duramen
import DuramenModel
import Foundation
import Synchronization

/// Contexts of one container that save at the same time, on a server that flushes.
@MainActor
final class SavesAtOnceRow {
    private let container: PersistentContainer
    private let raw: RawConnection
    private let ids: [ManagedObjectID]
    private static let contexts = 8
    private nonisolated static let saves = 40

    init(_ server: String) throws {
        let store = QuakeStore(server, schema: "bench_at_once")
        try store.fill(Workload.quakes(1_000))
        container = try store.open()
        ids = try container.makeContext().fetchObjectIDs(FetchRequest<Quake>())
        raw = try RawConnection(server)
        try raw.run("CREATE TABLE bench_flush (number bigint)")
    }

    func run(_ report: Report) throws {
        let flush = try Clock.median(50) { _ in
            try raw.run("INSERT INTO bench_flush VALUES (1)")
        }
        print(String(format: "a raw commit of one row: %.2f ms", flush * 1e3))
        try report.measure(
            "7 a save, by 8 contexts at once",
            [
                Contestant(name: "-") { [self] in try seconds(Self.contexts) },
                Contestant(name: "one context") { [self] in try seconds(1) },
            ], limits: [5], growing: true)
        try container.close()
        raw.close()
    }

    /// Returns the seconds for a save.
    private func seconds(_ threads: Int) throws -> Double {
        let container = container
        let ids = ids
        let start = Clock.now
        try ThreadGroup.run(threads) { thread in
            let context = container.makeContext()
            let quake = try context.existingObject(with: ids[thread * 10], as: Quake.self)
            for _ in 0..<Self.saves {
                quake.magnitude = 10 - quake.magnitude
                try context.save()
            }
        }
        return (Clock.now - start) / Double(threads * Self.saves)
    }
}

/// Threads that work at the same time.
enum ThreadGroup {
    /// Runs a closure on several threads, and waits for all.
    ///
    /// - Parameter work: Is given the number of its thread, from 0.
    /// - Throws: The last error that a thread threw.
    static func run(_ count: Int, _ work: @escaping @Sendable (Int) throws -> Void) throws {
        let failure = Mutex<(any Error)?>(nil)
        let group = DispatchGroup()
        for number in 0..<count {
            group.enter()
            Thread.detachNewThread {
                defer { group.leave() }
                do {
                    try work(number)
                } catch {
                    failure.withLock { $0 = error }
                }
            }
        }
        group.wait()
        if let failure = failure.withLock({ $0 }) { throw failure }
    }
}
