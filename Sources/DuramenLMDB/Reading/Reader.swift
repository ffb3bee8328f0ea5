import DuramenFileStore
import DuramenModel
import DuramenStore
import Synchronization

/// A place among the engine's readers: a transaction that is begun again and again.
// Sound: everything but `mutex` and `lossFlag` is used with `mutex` held, or before the reader is
// shared.
final class Reader: SnapshotReader, @unchecked Sendable {
    let mutex = Locked<Void>(())
    let transaction: Transaction
    private let lossFlag = Atomic<Bool>(false)
    private let use: EnvironmentUse
    private var environment: Environment { use.environment }
    private(set) var isReading = true
    /// How many walks are under way in the reader's state.
    var walkCount = 0
    /// The last state that was read, and the engine's number of it. That grows with every commit,
    /// for as long as the environment is open.
    private var known: (number: Int, generation: StoreGeneration)?
    /// The list of indexes in the reader's state, once somebody has asked.
    var indexNumbers: [UInt32?]?

    /// Begins to read.
    init(_ use: EnvironmentUse, timeoutSeconds: Double) throws(StoreError) {
        self.use = use
        transaction = try Self.transaction(use.environment, timeoutSeconds)
    }

    /// Begins a transaction and stays inside the gate.
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
            // Another process has made the file longer than this one's map.
            try environment.growMap(withinSeconds: timeoutSeconds)
        }
    }

    // The state ends before the gate is left, since the map may move then, and the transaction
    // before the environment: the order in which properties are let go of is the optimiser's.
    deinit {
        if environment.process.isInherited { return }
        end()
        transaction.abort()
    }

    /// Begins to read the newest state.
    ///
    /// - Returns: Whether it did.
    func begin() -> Bool {
        environment.gate.enter()
        isReading = transaction.renew()
        if !isReading { environment.gate.leave() }
        lossFlag.store(false, ordering: .relaxed)
        return isReading
    }

    /// Ends for good, so that the tables' handles opened in the transaction are those of all others
    /// too.
    func commit() throws(StoreError) {
        isReading = false
        environment.gate.leave()
        let result = transaction.commit()
        if result != 0 {
            throw EngineError.error(result, path: environment.path, action: "read")
        }
    }

    /// The state that is read. Before the reader is shared, or with `mutex` held.
    func generation(_ schema: StoreSchema) throws(StoreError) -> StoreGeneration {
        let number = transaction.stateNumber
        if let known, known.number == number { return known.generation }
        let read = StoreGeneration(rawValue: try SaveLog(schema, transaction).lastNumber())
        known = (number, read)
        return read
    }

    /// Whether nobody, in whatever process, has committed since the state that is read.
    var isNewest: Bool { !isLost && environment.newestNumber == transaction.stateNumber }

    var isLost: Bool { lossFlag.load(ordering: .relaxed) }

    /// Gives the state up while somebody holds it.
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

    /// Lets the state go.
    func end() {
        indexNumbers = nil
        guard isReading else { return }
        isReading = false
        transaction.reset()
        environment.gate.leave()
    }
}
