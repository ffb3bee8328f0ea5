import DuramenModel
import DuramenQuery
import Testing

@Suite struct PushdownTests {
    private let easy = FetchPredicate.keyPath("magnitude", .greater, 6)
    private let hard = FetchPredicate.keyPath("note", .like, "a*")
    private var query: StoreQuery {
        StoreQuery(
            entity: Earth.entity("Quake").id, predicate: easy && hard,
            sortDescriptors: [FetchSortDescriptor("time")], offset: 2, limit: 5)
    }

    @Test func conjunctsArePushedOneByOneAndTheWindowStays() {
        let split = Pushdown(
            splitting: query, accepts: { $0 == easy }, acceptsOrder: { _ in true })
        #expect(split.pushed.predicate == .and([easy]))
        #expect(split.residual == .and([hard]))
        #expect(!split.needsSorting)
        #expect(split.needsWindow)
        #expect(split.pushed.limit == nil && split.pushed.offset == 0)
        #expect(split.pushed.sortDescriptors == query.sortDescriptors)
    }

    @Test func whatIsAcceptedWholeIsPushedWhole() {
        let split = Pushdown(splitting: query, accepts: { _ in true }, acceptsOrder: { _ in true })
        #expect(split.pushed == query)
        #expect(split.residual == nil && !split.needsSorting && !split.needsWindow)
    }

    @Test func anUnacceptedOrderKeepsTheWindow() {
        let split = Pushdown(splitting: query, accepts: { _ in true }, acceptsOrder: { _ in false })
        #expect(split.needsSorting && split.needsWindow)
        #expect(split.pushed.sortDescriptors.isEmpty && split.pushed.limit == nil)
    }

    @Test func aStoreThatOnlyScansLeavesEverything() {
        let split = Pushdown.none(for: query)
        #expect(split.pushed.predicate == nil)
        #expect(split.residual == query.predicate)
        #expect(split.needsSorting && split.needsWindow)
    }

    @Test func aDisjunctionIsPushedOnlyAsAWhole() {
        var query = query
        query.predicate = easy || hard
        let split = Pushdown(
            splitting: query, accepts: { $0 == easy }, acceptsOrder: { _ in true })
        #expect(split.pushed.predicate == nil)
        #expect(split.residual == query.predicate)
    }
}
