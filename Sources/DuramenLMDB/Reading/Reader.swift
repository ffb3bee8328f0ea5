import DuramenFileStore
import DuramenModel
import DuramenStore
import Synchronization

/// A slot among the engine's readers: a transaction that is restarted again and again.
// Sound: everything but `mutex` and `lossFlag` is used with `mutex` held, or before the reader is
// shared.
final class Reader: SnapshotReader, @unchecked Sendable {
    let mutex = Locked<Void>(())
    let transaction: Transaction
    private let lossFlag = Atomic<Bool>(false)
    private let use: EnvironmentUse
    private var environment: Environment { use.environment }
    private(set) var isReading = true
    /// The number of iterations in the reader's state.
    var walkCount = 0
    /// The last state that was read, and the engine's number of it, which grows with every commit
    /// while the environment is open.
    private var known: (number: Int, generation: StoreGeneration)?
    /// The list of indexes in the reader's state, once it was needed.
    var indexNumbers: [UInt32?]?

    /// Starts to read.
    init(_ use: EnvironmentUse, timeoutSeconds: Double) throws(StoreError) {
        self.use = use
        transaction = try Self.transaction(use.environment, timeoutSeconds)
    }

    /// Starts a transaction and stays inside the gate.
    private static func transaction(
        _ environment: Environment, _ timeoutSeconds: Double
    ) throws(StoreError) -> Transaction {
        while true {
            environment.gate.enter()
            do throws(StoreError) {
                if let made = try Transaction.reading(environment) { return made }
            } catch {
                environment.gate.leave()
                throw error
            }
            environment.gate.leave()
            // Another process has extended the file beyond this process's map.
            try environment.growMap(withinSeconds: timeoutSeconds)
        }
    }

    // The state must end before the gate is left, since the map may move then. The transaction must
    // end before the environment: the optimiser determines the order in which properties are
    // released.
    deinit {
        if environment.process.isInherited { return }
        end()
        transaction.abort()
    }

    /// Starts to read the newest state.
    ///
    /// - Returns: Whether it did.
    func begin() -> Bool {
        environment.gate.enter()
        isReading = transaction.renew()
        if !isReading { environment.gate.leave() }
        lossFlag.store(false, ordering: .relaxed)
        return isReading
    }

    /// Ends permanently, so that the tables' handles opened in the transaction are valid in all
    /// others.
    func commit() throws(StoreError) {
        isReading = false
        environment.gate.leave()
        let result = transaction.commit()
        if result != 0 {
            throw EngineError.error(result, path: environment.path, action: "read")
        }
    }

    /// Returns the current state. Used before the reader is shared, or with `mutex` held.
    func generation(_ schema: StoreSchema) throws(StoreError) -> StoreGeneration {
        let number = transaction.stateNumber
        if let known, known.number == number { return known.generation }
        let read = StoreGeneration(rawValue: try SaveLog(schema, transaction).lastNumber())
        known = (number, read)
        return read
    }

    /// Whether no process has committed since the current state.
    var isNewest: Bool { !isLost && environment.newestNumber == transaction.stateNumber }

    var isLost: Bool { lossFlag.load(ordering: .relaxed) }

    /// Releases the state while a snapshot uses it.
    func lose() {
        lossFlag.store(true, ordering: .relaxed)
        end()
    }

    func endIfUnused() -> Bool {
        mutex.withLockIfAvailable { _ in
            if isLost { return false }
            lose()
            return true
        } ?? false
    }

    /// Releases the state.
    func end() {
        indexNumbers = nil
        guard isReading else { return }
        isReading = false
        transaction.reset()
        environment.gate.leave()
    }
}
