import DuramenModel
import DuramenQuery

/// The statements of a store's queries, by the shape of the query.
///
/// Compiling a query to SQL takes some microseconds, longer than the rest of a look-up. Queries of
/// one shape differ only in values, which are bound.
package final class CompiledQueries: Sendable {
    private struct Entry {
        let compiled: CompiledQuery
        /// Whether the store evaluates such queries completely.
        let isWhole: Bool
    }

    private struct State {
        var entries: [Int: [Entry]] = [:]
        var count = 0
        /// The last found entry: queries of one shape often follow each other.
        var recent: Entry?
        // By bytes, because names that look alike may differ.
        var numbers: [StoredText: Int] = [:]
        var nextNumber = 0
    }

    private let state = Locked(State())

    // A program has some dozens of shapes. Shapes that include a value, such as a pattern, are used
    // only for a while.
    private static let mostEntries = 256
    private static let mostTexts = 2_000
    /// A longer list of values is not worth its memory.
    private static let mostParameters = 256

    /// Creates an empty cache.
    package init() {}

    /// Returns the statements for a query; nil if there are none yet.
    ///
    /// - Parameters:
    ///   - query: The query.
    ///   - isWhole: Whether the store must evaluate queries of this shape completely.
    func find(_ query: StoreQuery, isWhole: Bool) -> BoundQuery? {
        if let recent = state.withLock({ $0.recent }), recent.isWhole || !isWhole,
            let bound = recent.compiled.bound(to: query)
        {
            return bound
        }
        let hash = CompiledQuery.hash(of: query)
        for entry in state.withLock({ $0.entries[hash] ?? [] }) where entry.isWhole || !isWhole {
            if let bound = entry.compiled.bound(to: query) {
                state.withLock { $0.recent = entry }
                return bound
            }
        }
        return nil
    }

    /// Stores statements.
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

    /// Returns the number of a statement's text, equal for equal texts while it is in use.
    package func number(of sql: String) -> Int {
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
