import Duramen
import DuramenModel
import Foundation
import StoreTestSupport
import Testing

/// Those who follow the history to its end.
@MainActor
@Suite struct HistoryConsumerTests {
    private let time = SharedTime()

    private func container(_ kind: StoreKind) throws -> PersistentContainer {
        var description = kind.description.keepingHistory()
        description.clock = time.clock
        return try PersistentContainer.open(model: Seismology.model, stores: [description])
    }

    private func save(_ codes: [String], _ container: PersistentContainer) throws {
        for code in codes { try container.saveElsewhere { _ = $0.insertQuake(code) } }
    }

    private func codes(
        _ delivery: PersistentHistoryConsumer.Delivery, _ container: PersistentContainer
    ) throws -> ([String], PersistentHistoryToken)? {
        guard case .transactions(let transactions, let token) = delivery else { return nil }
        let context = container.viewContext
        context.processPendingChanges()
        let codes = try transactions.flatMap { $0.changes ?? [] }.map {
            try context.existingObject(with: $0.changedObjectID, as: Quake.self).code
        }
        return (codes, token)
    }

    @Test(arguments: StoreKind.allCases)
    func aConsumerIsGivenEachTransactionUntilItAcknowledges(kind: StoreKind) throws {
        let container = try container(kind)
        try save(["a", "b"], container)
        let consumer = try container.historyConsumer(named: "index")
        let late = try container.historyConsumer(named: "late", beginning: .now)
        let behind = try container.historyConsumer(
            named: "behind",
            beginning: .after(try #require(try container.currentPersistentHistoryToken())))
        try save(["c"], container)
        #expect(try codes(late.next(), container)?.0 == ["c"])
        #expect(try codes(behind.next(), container)?.0 == ["c"])
        let first = try #require(try codes(consumer.next(maximumTransactions: 2), container))
        #expect(first.0 == ["a", "b"])
        // The same comes again, to whoever takes the name.
        let again = try container.historyConsumer(named: "index", beginning: .now)
        #expect(try codes(again.next(maximumTransactions: 2), container)?.0 == ["a", "b"])
        try consumer.acknowledge(first.1)
        #expect(try again.token() == first.1)
        let second = try #require(try codes(again.next(), container))
        #expect(second.0 == ["c"])
        try again.acknowledge(second.1)
        #expect(try codes(consumer.next(), container)?.0 == [])
        // A consumer that keeps its place itself says where it is.
        #expect(try codes(consumer.next(after: first.1), container)?.0 == ["c"])
        try container.close()
    }

    @Test(arguments: StoreKind.allCases)
    func aTokenOfOtherStoresIsRefused(kind: StoreKind) throws {
        let (container, other) = (try container(kind), try container(kind))
        try save(["a"], container)
        try save(["b"], other)
        let consumer = try container.historyConsumer(named: "index")
        guard case .transactions(_, let token) = try other.historyConsumer(named: "index").next()
        else { throw StoreError(.io, "no transactions") }
        for attempt in [
            { _ = try consumer.next(after: token) }, { try consumer.acknowledge(token) },
            { _ = try container.historyConsumer(named: "late", beginning: .after(token)) },
        ] as [() throws -> Void] {
            #expect(storeErrorCode(attempt) == .historyTokenUnknown)
        }
        #expect(try codes(consumer.next(), container)?.0 == ["a"])
    }

    @Test(arguments: StoreKind.allCases)
    func whatALiveConsumerNeedsIsKeptAndALapsedOneBeginsAnew(kind: StoreKind) throws {
        let container = try container(kind)
        let consumer = try container.historyConsumer(named: "index", leaseSeconds: 100)
        try save(["a", "b", "c"], container)
        let context = container.viewContext
        let everything = PersistentHistoryChangeRequest.deleteHistory(before: Date.distantFuture)
        let kept = try context.execute(everything)
        #expect(kept.count == 0 && kept.keptFor == ["index"])
        let first = try #require(try codes(consumer.next(maximumTransactions: 1), container))
        try consumer.acknowledge(first.1)
        #expect(try context.execute(everything).count == 1)
        time.advance(by: 99)
        // Saying how far one is renews the lease.
        try consumer.acknowledge(first.1)
        time.advance(by: 99)
        #expect(try context.execute(everything).count == 0)
        #expect(try codes(consumer.next(), container)?.0 == ["b", "c"])
        time.advance(by: 2)
        let gone = try context.execute(everything)
        #expect(gone.count == 2 && gone.keptFor.isEmpty)

        try save(["d"], container)
        guard case .resynchronize(let state) = try consumer.next() else {
            Issue.record("a lapsed consumer was not told")
            return
        }
        // What is saved meanwhile is not in the state, but behind its token.
        try save(["e"], container)
        let reader = container.makeContext(
            ContextOptions(automaticallyMergesChangesFromParent: false))
        try reader.setQueryGeneration(from: state.generation)
        let all = try reader.fetch(FetchRequest<Quake>().sorted(by: \.code)).map(\.code)
        #expect(all == ["a", "b", "c", "d"])
        try consumer.acknowledge(state.token)
        #expect(try codes(consumer.next(), container)?.0 == ["e"])
        try consumer.remove()
        #expect(try context.execute(everything).keptFor.isEmpty)
        try reader.setQueryGeneration(from: nil)
        try container.close()
    }
}

/// A time of day that a test sets.
final class SharedTime: Sendable {
    private let seconds = Locked<Double>(0)

    var clock: StoreClock {
        StoreClock(date: { [self] in
            Date(timeIntervalSinceReferenceDate: seconds.withLock { $0 })
        }) { .zero }
    }

    func advance(by more: Double) { seconds.withLock { $0 += more } }
}
