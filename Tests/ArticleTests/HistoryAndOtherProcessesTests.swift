import DocumentationSupport
import Duramen
import DuramenLMDB
import DuramenMacros
import DuramenSQLite
import Foundation
import Testing

enum HistoryModel {
    // snippet: history.tombstone
    @Managed
    final class Reservation: ManagedObject {
        @Attribute(.unique, .preservesValueOnDeletion) var code: String
        var reader: String?
    }
    // end

    static let model = Result { try ManagedObjectModel(Reservation.self) }
}

private typealias Reservation = HistoryModel.Reservation

/// What the article says of history and of other writers. Two containers over one file share
/// nothing but the file, as two processes do.
@MainActor struct HistoryAndOtherProcessesTests {
    enum Kind: CaseIterable { case sqlite, lmdb }

    /// Runs a test with an empty store that keeps a history.
    private func withStore(
        _ kind: Kind = .sqlite, _ body: (PersistentStoreDescription) async throws -> Void
    ) async throws {
        let path = FileManager.default.temporaryDirectory
            .appending(path: "history-\(UUID().uuidString)").path
        let store: PersistentStoreDescription = kind == .sqlite ? .sqlite(path) : .lmdb(path)
        defer { try? store.destroyStore() }
        try await body(store.keepingHistory())
    }

    private func open(_ store: PersistentStoreDescription) throws -> PersistentContainer {
        try PersistentContainer.open(model: HistoryModel.model.get(), stores: [store])
    }

    /// Saves a reservation as somebody else would.
    private func reserve(
        _ code: String, author: String = "web", in container: PersistentContainer
    ) throws {
        let context = container.newBackgroundContext(ContextOptions(author: author))
        try context.performAndWait { context in
            Reservation(context: context).code = code
            try context.save()
        }
    }

    @Test(arguments: Kind.allCases) func contextsFollowOtherProcesses(kind: Kind) async throws {
        try await withStore(kind) { store in
            let model = try HistoryModel.model.get()
            // snippet: history.open
            let container = try await PersistentContainer(
                model: model, stores: [store.keepingHistory(forDays: 30)])
            container.automaticallyMergesRemoteChanges = true
            // end
            let list = try FetchedResults(
                FetchRequest<Reservation>().sorted(by: \.code), in: container.viewContext)
            #expect(list.objects?.isEmpty == true)
            let other = try open(store)
            var changes = container.remoteChanges.makeAsyncIterator()
            try reserve("A1", in: other)
            let change = await changes.next(isolation: MainActor.shared)
            #expect(change?.isOwn == false)
            #expect(try change?.historyToken == other.currentPersistentHistoryToken())
            container.viewContext.processPendingChanges()
            #expect(list.objects?.map(\.code) == ["A1"])
            try container.close()
            try other.close()
        }
    }

    @Test(arguments: Kind.allCases) func twoWritersConflict(kind: Kind) async throws {
        try await withStore(kind) { store in
            let (here, there) = (try open(store), try open(store))
            try reserve("A1", in: here)
            let mine = try here.viewContext.fetch(FetchRequest<Reservation>())[0]
            try there.newBackgroundContext().performAndWait { context in
                try context.fetch(FetchRequest<Reservation>())[0].reader = "Bob"
                try context.save()
            }
            mine.reader = "Ann"
            #expect(throws: SaveConflictError.self) { try here.viewContext.save() }
            try here.close()
            try there.close()
        }
    }

    @Test func theHistoryTellsWhoChangedWhat() async throws {
        try await withStore { store in
            let container = try open(store)
            try reserve("A1", author: "web", in: container)
            try reserve("B2", author: "desk", in: container)
            let context = container.viewContext
            var lastToken: PersistentHistoryToken?
            var lines: [String] = []
            func print(_ line: String) { lines.append(line) }

            // snippet: history.fetch
            let result = try context.execute(.fetchHistory(after: lastToken))
            for transaction in result.transactions {
                for change in transaction.changes ?? [] {
                    let author = transaction.author ?? "unknown"
                    print("\(author): \(change.changeType) \(change.changedObjectID)")
                }
            }
            lastToken = result.token
            // end

            #expect(
                lines.joined(separator: "\n")
                    == (try Article.named("HistoryAndOtherProcesses").output("history.fetch")))
            let token = try #require(lastToken)
            #expect(try token == container.currentPersistentHistoryToken())
            #expect(PersistentHistoryToken(token.description) == token)
            let data = try JSONEncoder().encode(token)
            #expect(try JSONDecoder().decode(PersistentHistoryToken.self, from: data) == token)
            #expect(try context.execute(.fetchHistory(after: token)).transactions.isEmpty)

            lastToken = nil
            // snippet: history.filter
            var request = PersistentHistoryChangeRequest.fetchHistory(after: lastToken)
            request.transactionFilter = { $0.author != "web" }
            request.changePredicate = try FetchPredicate("changedEntity == %@", "Reservation")
            request.resultType = .objectIDs
            let ids = try context.execute(request).objectIDs
            // end
            #expect(
                try ids.map { try context.existingObject(with: $0, as: Reservation.self).code }
                    == ["B2"])
            try container.close()
        }
    }

    @Test func aDeletionLeavesATombstone() async throws {
        try await withStore { store in
            let container = try open(store)
            let context = container.viewContext
            try reserve("A1", in: container)
            context.delete(try context.fetch(FetchRequest<Reservation>())[0])
            try context.save()
            let changes = try context.execute(.fetchHistory(after: nil)).transactions
                .flatMap { $0.changes ?? [] }
            #expect(changes.map(\.changeType) == [.insert, .delete])
            #expect(changes[1].tombstone == ["code": .text("A1")])
            try container.close()
        }
    }

    @Test func aConsumerComesBackWhereItWas() async throws {
        try await withStore { store in
            let container = try open(store)
            var indexed: [String] = []
            var rebuilds = 0
            func index(_ transactions: [PersistentHistoryTransaction]) throws {
                for change in transactions.flatMap({ $0.changes ?? [] }) {
                    indexed.append("\(change.changedObjectID.key)")
                }
            }
            func rebuild(_ reservations: [Reservation]) {
                rebuilds += 1
                indexed = reservations.map { "\($0.objectID.key)" }
            }
            func follow(lease: Double) throws {
                // snippet: history.consumer
                let consumer = try container.historyConsumer(
                    named: "search index", leaseSeconds: lease)
                switch try consumer.next() {
                case .transactions(let transactions, let token):
                    try index(transactions)
                    try consumer.acknowledge(token)
                case .resynchronize(let state):
                    let context = container.makeContext(
                        ContextOptions(automaticallyMergesChangesFromParent: false))
                    try context.setQueryGeneration(from: state.generation)
                    rebuild(try context.fetch(FetchRequest<Reservation>()))
                    try consumer.acknowledge(state.token)
                }
                // end
            }
            try reserve("A1", in: container)
            let early = try container.currentPersistentHistoryToken()
            try follow(lease: 604_800)
            try reserve("B2", in: container)
            let context = container.viewContext
            let limit = Date.now + 1

            // snippet: history.delete
            let result = try context.execute(.deleteHistory(before: limit))
            print("\(result.count) transactions deleted, others kept for \(result.keptFor)")
            // end
            #expect(result.count == 1 && result.keptFor == ["search index"])
            try follow(lease: 604_800)
            #expect(indexed == ["1", "2"] && rebuilds == 0)

            // A lease that is over.
            try follow(lease: -1)
            try reserve("C3", in: container)
            try context.execute(.deleteHistory(before: Date.now + 1))
            let expired = #expect(throws: StoreError.self) {
                try context.execute(.fetchHistory(after: early))
            }
            #expect(expired?.code == .historyTokenExpired)
            let consumer = try container.historyConsumer(named: "search index")
            guard case .resynchronize = try consumer.next() else {
                Issue.record("the consumer did not learn that transactions are gone")
                return
            }
            try follow(lease: 604_800)
            #expect(indexed.sorted() == ["1", "2", "3"] && rebuilds == 1)
            try consumer.remove()
            try container.close()
        }
    }

    @Test func listenersHearOfEachWriter() async throws {
        try await withStore { store in
            let (container, other) = (try open(store), try open(store))
            var authors: [String?] = []
            var isFinished = false
            func show(_ transactions: [PersistentHistoryTransaction]) {
                authors += transactions.map(\.author)
                isFinished = true
            }
            // It writes while the loop waits.
            let writer = Task { try reserve("A1", in: other) }

            // snippet: history.listen
            var token = try container.currentPersistentHistoryToken()
            for await change in container.remoteChanges where !change.isOwn {
                let result = try container.persistentStoreCoordinator.execute(
                    .fetchHistory(after: token))
                show(result.transactions)
                token = result.token
                if isFinished { break }
            }
            // end

            try await writer.value
            #expect(try authors == ["web"] && token == other.currentPersistentHistoryToken())
            try container.close()
            try other.close()
        }
    }

    @Test func transactionsAreMergedByHand() async throws {
        try await withStore { store in
            let (container, other) = (try open(store), try open(store))
            try reserve("A1", in: container)
            let context = container.viewContext
            let reservation = try context.fetch(FetchRequest<Reservation>())[0]
            let token = try container.currentPersistentHistoryToken()
            try other.newBackgroundContext().performAndWait { context in
                try context.fetch(FetchRequest<Reservation>())[0].reader = "Ann"
                try context.save()
            }
            context.processPendingChanges()
            #expect(reservation.reader == nil)

            // snippet: history.merge
            let transactions = try context.execute(.fetchHistory(after: token)).transactions
            context.mergeChanges(fromContextDidSave: ChangedObjectIDs(transactions))
            // end

            #expect(reservation.reader == "Ann")
            try container.close()
            try other.close()
        }
    }

    @Test(arguments: Kind.allCases) func aPinnedContextKeepsItsState(kind: Kind) async throws {
        try await withStore(kind) { store in
            let container = try open(store)
            try reserve("A1", in: container)

            // snippet: history.pin
            let report = container.makeContext(
                ContextOptions(automaticallyMergesChangesFromParent: false))
            try report.setQueryGeneration(from: .current)
            let reservations = try report.fetch(FetchRequest<Reservation>())
            // end

            try reserve("B2", in: container)
            #expect(try report.count(for: FetchRequest<Reservation>()) == reservations.count)
            let token = report.queryGenerationToken
            #expect(token != nil && token != .current)
            try report.setQueryGeneration(from: .current)
            #expect(try report.count(for: FetchRequest<Reservation>()) == 2)
            try report.setQueryGeneration(from: nil)
            let error = #expect(throws: ContextError.self) {
                try container.viewContext.setQueryGeneration(from: .current)
            }
            #expect(error?.code == .invalidRequest, "it merges automatically")
            try container.close()
        }
    }

    @Test func withoutHistoryThereAreNoTransactions() throws {
        let context = try Library.filled().viewContext
        let error = #expect(throws: StoreError.self) {
            try context.execute(.fetchHistory(after: nil))
        }
        #expect(error?.code == .historyMissing)
    }
}
