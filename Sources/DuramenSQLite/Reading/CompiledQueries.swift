import DuramenModel
import DuramenQuery
import DuramenSQL

/// The statements of a store's queries, by the shape of the query.
///
/// To make SQL of a query takes some microseconds, longer than all else around a look-up. Queries
/// of one shape differ in nothing but values, which are bound.
final class CompiledQueries: Sendable {
    private struct Entry {
        let compiled: CompiledQuery
        /// Whether the store answers such queries whole.
        let isWhole: Bool
    }

    private struct State {
        var entries: [Int: [Entry]] = [:]
        var count = 0
        /// The last that was found: queries of one shape follow each other.
        var recent: Entry?
        // By bytes: names that look alike are two names.
        var numbers: [StoredText: Int] = [:]
        var nextNumber = 0
    }

    private let state = Locked(State())

    // A program has some dozens of shapes. Those with a value in them, such as a pattern, come and
    // go.
    private static let mostEntries = 256
    private static let mostTexts = 2_000
    /// A longer list of values is not worth its memory.
    private static let mostParameters = 256

    /// The statements for a query; nil when there are none yet.
    ///
    /// - Parameter isWhole: Whether they must be of a shape that the store answers whole.
    func find(_ query: StoreQuery, isWhole: Bool) -> BoundQuery? {
        if let recent = state.withLock({ $0.recent }), recent.isWhole || !isWhole,
            let values = recent.compiled.values(of: query)
        {
            return BoundQuery(recent.compiled, values)
        }
        let hash = CompiledQuery.hash(of: query)
        for entry in state.withLock({ $0.entries[hash] ?? [] }) where entry.isWhole || !isWhole {
            if let values = entry.compiled.values(of: query) {
                state.withLock { $0.recent = entry }
                return BoundQuery(entry.compiled, values)
            }
        }
        return nil
    }

    /// Keeps statements.
    func insert(_ compiled: CompiledQuery, isWhole: Bool) {
        if compiled.parameterCount > Self.mostParameters { return }
        let hash = CompiledQuery.hash(of: compiled.query)
        state.withLock { state in
            if state.count >= Self.mostEntries {
                state.entries = [:]
                state.recent = nil
                state.count = 0
            }
            state.entries[hash, default: []].insert(
                Entry(compiled: compiled, isWhole: isWhole), at: 0)
            state.count += 1
        }
    }

    /// The number of a statement's text, the same for the same text while it is in use.
    func number(of sql: String) -> Int {
        let text = StoredText(sql)
        return state.withLock { state in
            if let known = state.numbers[text] { return known }
            if state.numbers.count >= Self.mostTexts { state.numbers = [:] }
            state.nextNumber += 1
            state.numbers[text] = state.nextNumber
            return state.nextNumber
        }
    }
}
