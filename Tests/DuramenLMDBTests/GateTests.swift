import DuramenModel
import DuramenStore
import Foundation
import StoreTestSupport
import Testing

@testable import DuramenLMDB

/// What one thread at a time may do with an environment.
@Suite struct GateTests {
    let folder = TemporaryFolder()

    @Test("While one thread lets the map grow, no other one does, and no transaction comes in")
    func growth() throws {
        let gate = MapGate()
        let others: [@Sendable () throws -> Void] = [
            { try gate.whileEmpty(withinSeconds: 60, path: "") {} },
            {
                gate.enter()
                gate.leave()
            },
        ]
        for other in others {
            let thread = WaitingThread()
            try gate.whileEmpty(withinSeconds: 0, path: "") { () throws(StoreError) in
                thread.start(other)
                #expect(!thread.endsSoon)
            }
            thread.join()
        }
    }

    @Test("Who stays inside is a typed error at the deadline, and others come in again after it")
    func deadline() throws {
        let gate = MapGate()
        gate.enter()
        func grow() -> StoreError.Code? {
            storeErrorCode { try gate.whileEmpty(withinSeconds: 0, path: "") {} }
        }
        #expect(grow() == .storeBusy)
        gate.enter()
        gate.leave()
        #expect(grow() == .storeBusy)
        gate.leave()
        #expect(grow() == nil)
    }

    @Test("The map does not grow under a transaction, whether it reads or writes")
    func transactions() throws {
        try Library.open(folder.file()).close()
        // Small, since it is doubled time and again.
        let use = try StoreOpening(.lmdb(folder.file()), mapBytes: 1 << 26).openEnvironment()
        func grow() -> StoreError.Code? {
            storeErrorCode {
                try use.environment.growMap(byAtLeast: 1 << 20, withinSeconds: 0)
            }
        }
        #expect(grow() == nil)
        for commits in [true, false] {
            let writing = try Transaction.writing(
                use.environment, durability: .full, timeoutSeconds: 0)
            #expect(grow() == .storeBusy)
            if commits { #expect(writing.commit() == 0) } else { writing.abort() }
            #expect(grow() == nil)
        }
        let reader = try Reader(use, timeoutSeconds: 0)
        #expect(grow() == .storeBusy)
        reader.end()
        #expect(grow() == nil)
        #expect(reader.begin())
        #expect(grow() == .storeBusy)
        reader.end()
    }

    @Test("Tables are opened by one transaction at a time, as the engine wants it")
    func openingTables() throws {
        let description = PersistentStoreDescription.lmdb(folder.file())
        try description.open(model: Library.model).close()
        let use = try StoreOpening(description.readOnly()).openEnvironment()
        let openings: [@Sendable () throws -> Void] = [
            { _ = try LMDBStoreType().metadata(of: description) },
            { try description.readOnly().open(model: Library.model).close() },
        ]
        for opening in openings {
            let thread = WaitingThread()
            try use.environment.openingTables { () throws(StoreError) in
                thread.start(opening)
                #expect(!thread.endsSoon)
            }
            thread.join()
        }
    }
}

/// A thread that should wait for another one.
private final class WaitingThread: Sendable {
    private let hasEnded = Locked(false)
    private let ended = DispatchSemaphore(value: 0)

    func start(_ body: @escaping @Sendable () throws -> Void) {
        Thread.detachNewThread {
            try? body()
            self.hasEnded.withLock { $0 = true }
            self.ended.signal()
        }
    }

    /// Whether it ends within many times what its work takes.
    var endsSoon: Bool {
        for _ in 0..<20_000 {
            if hasEnded.withLock({ $0 }) { return true }
            sched_yield()
        }
        return false
    }

    func join() { ended.wait() }
}
