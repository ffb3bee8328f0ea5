import Duramen
import Foundation
import Synchronization

/// Work in many saves and units of work.
extension DuramenContestants {
    /// Changes one field of each of the given objects, and saves each time. The context has the objects.
    static func commits(
        _ dataset: Dataset, _ identifiers: [Int64], _ kind: StoreKind = .sqlite, isDurable: Bool
    ) throws -> [Contestant] {
        let store = try dataset.filledQuakeStore(
            "commits-duramen-\(isDurable)", kind, isDurable ? .full : .relaxed)
        let context = store.container.makeContext()
        let quakes = try store.ids(of: identifiers).map {
            try context.existingObject(with: $0, as: Quake.self)
        }
        context.processPendingChanges()
        return [
            Contestant(
                .duramen,
                verify: { try store.checksum() },
                body: {
                    for quake in quakes {
                        quake.magnitude = 10 - quake.magnitude
                        try context.save()
                    }
                    return Outcome(quakes.count)
                })
        ]
    }

    /// Finds objects by identifier in a new context, each in a unit of work of its own.
    static func lookupOneByOne(
        _ dataset: Dataset, _ identifiers: [Int64], _ kind: StoreKind = .sqlite
    ) throws -> [Contestant] {
        let store = try dataset.sharedQuakeStore(kind)
        let ids = store.ids(of: identifiers)
        return [
            Contestant(.duramen) { Outcome(try lookUpOneByOne(ids, in: store.container)) }
        ]
    }

    /// The same while a thread saves one change after the other, and while nobody does.
    static func lookupBesideWriter(
        _ dataset: Dataset, _ identifiers: [Int64], _ kind: StoreKind = .sqlite
    ) throws -> [Contestant] {
        let store = try dataset.filledQuakeStore("writer-duramen", kind)
        let ids = store.ids(of: identifiers)
        let container = store.container
        // What the writer changes, nobody reads.
        let written = try container.makeContext().fetchObjectIDs(FetchRequest<Region>())
        let writer = Writer(container, written)
        return [
            Contestant(.duramenAlone) { Outcome(try lookUpOneByOne(ids, in: container)) },
            Contestant(
                .duramen,
                prepare: { writer.start() },
                finish: { try writer.stop() },
                body: { Outcome(try lookUpOneByOne(ids, in: container)) }),
        ]
    }

    private static func lookUpOneByOne(
        _ ids: [ManagedObjectID], in container: PersistentContainer
    ) throws -> Int {
        var checksum = Checksum()
        let context = container.makeContext(
            ContextOptions(automaticallyMergesChangesFromParent: false))
        for id in ids {
            checksum.add(try context.existingObject(with: id, as: Quake.self))
            context.processPendingChanges()
        }
        return checksum.value
    }
}

/// A thread that changes one object and saves, again and again.
private final class Writer: Sendable {
    private struct State {
        var isRunning = false
        var failure: (any Error)?
    }

    private let container: PersistentContainer
    private let ids: [ManagedObjectID]
    private let state = Mutex(State())
    private let group = DispatchGroup()

    init(_ container: PersistentContainer, _ ids: [ManagedObjectID]) {
        self.container = container
        self.ids = ids
    }

    func start() {
        state.withLock { $0.isRunning = true }
        let firstSave = DispatchSemaphore(value: 0)
        group.enter()
        Thread.detachNewThread { [self] in
            defer { group.leave() }
            do {
                let context = container.makeContext()
                var count = 0
                while state.withLock(\.isRunning) {
                    let region = try context.existingObject(
                        with: ids[count % ids.count], as: Region.self)
                    region.name = "\(count)"
                    try context.save()
                    count += 1
                    if count == 1 { firstSave.signal() }
                }
            } catch {
                state.withLock { $0.failure = error }
                firstSave.signal()
            }
        }
        firstSave.wait()
    }

    /// Waits for the end of the thread.
    ///
    /// - Throws: What its saves threw.
    func stop() throws {
        state.withLock { $0.isRunning = false }
        group.wait()
        if let failure = state.withLock(\.failure) { throw failure }
    }
}
