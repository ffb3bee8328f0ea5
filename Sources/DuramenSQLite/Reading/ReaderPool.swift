import CSQLite
import DuramenFileStore
import DuramenModel
import DuramenStore
import Synchronization

/// The readers of a store, and the source of its snapshots.
final class ReaderPool: Sendable {
    private struct State {
        /// Readers that were opened first are last.
        var idle: [Reader] = []
        var count = 0
        /// Nil when the store is closed: the options claim the file.
        var options: ConnectionOptions?
    }

    let core: StoreCore
    /// Nil for stores that are opened for reading only.
    let indexes: IndexKeeper?
    private let state: Locked<State>
    private let cache: ReadCache

    init(core: StoreCore, options: ConnectionOptions, indexes: IndexKeeper?, cache: ReadCache) {
        self.cache = cache
        self.indexes = indexes
        self.core = core
        state = Locked(State(options: options))
    }

    /// Returns a snapshot of the newest state.
    ///
    /// Only a transaction shows whether another process has saved; it costs about a microsecond. If
    /// a snapshot of its state exists already, the transaction is ended and that snapshot's is
    /// shared.
    func snapshot() throws(StoreError) -> SQLiteSnapshot {
        try core.checkUsable()
        let reader = try takeReader()
        do throws(StoreError) {
            let generation = try reader.mutex.withLock { (_) throws(StoreError) in
                try reader.begin()
            }
            return try share(reader, generation)
        } catch {
            core.hadTrouble.store(true, ordering: .relaxed)
            putBack(reader)
            throw error
        }
    }

    /// Reads data that changes without a new generation, such as histories, which a shared snapshot
    /// may show in an older version.
    func withNewest<R: Sendable>(
        _ body: (RowSource, StoreGeneration) throws(StoreError) -> R
    ) throws(StoreError) -> R {
        try core.checkUsable()
        let reader = try takeReader()
        defer { putBack(reader) }
        return try reader.mutex.withLock { (_) throws(StoreError) in
            let generation = try reader.begin()
            defer { reader.end() }
            return try reader.source.connection.readingUnwritten { () throws(StoreError) in
                try body(reader.source, generation)
            }
        }
    }

    private func share(
        _ reader: Reader, _ generation: StoreGeneration
    ) throws(StoreError) -> SQLiteSnapshot {
        do throws(StoreError) {
            guard let shared = try core.held.share(generation, reader) as? Reader else {
                core.counters.noteSnapshot()
                return SQLiteSnapshot(generation: generation, reader: reader, pool: self)
            }
            reader.mutex.withLock { _ in reader.end() }
            putBack(reader)
            return SQLiteSnapshot(generation: generation, reader: shared, pool: self)
        } catch {
            reader.mutex.withLock { _ in reader.end() }
            throw error
        }
    }

    /// Ends a transaction with its last snapshot, and keeps its reader for the next one.
    func giveBack(_ reader: Reader) {
        // A child made by fork does not touch what its parent opened.
        if core.process.isInherited || !core.held.remove(reader) { return }
        reader.mutex.withLock { _ in reader.end() }
        putBack(reader)
    }

    private func putBack(_ reader: Reader) {
        let isClosed = core.isClosed.load(ordering: .acquiring)
        state.withLock { state in
            if isClosed {
                state.count -= 1
            } else {
                let place = state.idle.firstIndex { $0.number < reader.number }
                state.idle.insert(reader, at: place ?? state.idle.count)
            }
        }
    }

    private func takeReader() throws(StoreError) -> Reader {
        enum Action {
            case use(Reader)
            case open(ConnectionOptions, number: Int)
            case refuse
            case close
        }
        let action: Action = state.withLock { state in
            while let reader = state.idle.popLast() {
                // Its connection would continue with pages of an older state.
                if reader.source.connection.unwritten?.isNewest != false { return .use(reader) }
                state.count -= 1
            }
            // One more reader than states is needed to find the newest state.
            if state.count > HeldSnapshots.usualLimit { return .refuse }
            guard let options = state.options else { return .close }
            state.count += 1
            return .open(options, number: state.count - 1)
        }
        switch action {
        case .use(let reader): return reader
        case .refuse: throw core.held.exhausted
        case .close:
            try core.checkUsable()
            throw core.held.exhausted
        case .open(let options, let number):
            do throws(StoreError) {
                try core.place.check()
                let connection =
                    options.isReadOnly
                    ? try options.openReading(counters: core.counters).connection
                    : try options.open(counters: core.counters)
                try options.configure(
                    connection, cacheKibibytes: cache.kibibytes(ofReader: number))
                return try Reader(connection: connection, core: core, number: number)
            } catch {
                state.withLock { $0.count -= 1 }
                throw error
            }
        }
    }

    /// Frees the page caches of unused readers.
    func releaseMemory() {
        state.withLock { state in
            for reader in state.idle {
                reader.mutex.withLock { _ in
                    _ = sqlite3_db_release_memory(reader.source.connection.handle)
                }
            }
        }
    }

    /// Closes the unused readers; the others close when they are returned.
    func close() {
        let readers = state.withLock { state in
            defer { state.idle = [] }
            state.options = nil
            return state.idle
        }
        state.withLock { $0.count -= readers.count }
    }
}
