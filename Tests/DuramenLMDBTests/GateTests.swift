import DuramenModel
import DuramenStore
import Foundation
import Testing

@testable import DuramenLMDB

/// What one thread at a time may do with an environment.
@Suite struct GateTests {
    let folder = TemporaryFolder()

    @Test("The map grows while no transaction is inside, one thread after the other")
    func growth() async throws {
        let gate = MapGate()
        let crowd = Crowd()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<4 {
                group.addTask {
                    for _ in 0..<200 {
                        if number < 2 {
                            try gate.whileEmpty(withinSeconds: 60, path: "") { crowd.grow() }
                        } else {
                            gate.enter()
                            crowd.read()
                            gate.leave()
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(crowd.mistakes == 0)
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
        try PersistentStoreDescription.lmdb(folder.file()).open(model: Library.model).close()
        let use = try StoreOpening(.lmdb(folder.file())).openEnvironment()
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
            let hasEnded = Flag()
            let ended = DispatchSemaphore(value: 0)
            try use.environment.openingTables { () throws(StoreError) in
                Thread.detachNewThread {
                    try? opening()
                    hasEnded.raise()
                    ended.signal()
                }
                // As long as it takes many times over.
                for _ in 0..<20_000 where !hasEnded.isRaised {
                    sched_yield()
                }
                #expect(!hasEnded.isRaised)
            }
            ended.wait()
            #expect(hasEnded.isRaised)
        }
    }
}

/// A flag that threads share.
private final class Flag: Sendable {
    private let state = Locked(false)
    var isRaised: Bool { state.withLock { $0 } }
    func raise() { state.withLock { $0 = true } }
}

/// Counts who is inside of a gate, and when somebody should not be.
private final class Crowd: Sendable {
    private struct State {
        var readers = 0
        var growers = 0
        var mistakes = 0
    }

    private let state = Locked(State())

    var mistakes: Int { state.withLock { $0.mistakes } }

    func grow() {
        state.withLock { state in
            state.growers += 1
            if state.growers > 1 || state.readers > 0 { state.mistakes += 1 }
        }
        sched_yield()
        state.withLock { $0.growers -= 1 }
    }

    func read() {
        state.withLock { state in
            state.readers += 1
            if state.growers > 0 { state.mistakes += 1 }
        }
        sched_yield()
        state.withLock { $0.readers -= 1 }
    }
}
