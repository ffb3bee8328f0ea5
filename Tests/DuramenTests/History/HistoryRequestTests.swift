import Duramen
import DuramenMemory
import DuramenModel
import DuramenTestKit
import Foundation
import StoreTestSupport
import Testing

/// What the history of contexts' saves and batches tells, and how it is asked for.
@MainActor
@Suite struct HistoryRequestTests {
    private func container(
        _ kind: StoreKind, clock: StoreClock = .system, days: Double? = nil
    ) throws -> PersistentContainer {
        var description = kind.description.keepingHistory(forDays: days)
        description.clock = clock
        return try PersistentContainer.open(
            model: Seismology.model, stores: [description],
            defaultOptions: ContextOptions(name: "view"))
    }

    private func all(
        _ context: ManagedObjectContext, after token: PersistentHistoryToken? = nil
    ) throws -> [PersistentHistoryTransaction] {
        try context.execute(.fetchHistory(after: token)).transactions
    }

    private func predicate(_ format: String) throws -> FetchPredicate {
        try FetchPredicate(format: format, arguments: [])
    }

    @Test(arguments: StoreKind.allCases)
    func everySaveAndBatchIsATransactionOfItsAuthor(kind: StoreKind) throws {
        let container = try container(kind)
        let context = container.viewContext
        context.transactionAuthor = "me"
        let start = try #require(try container.currentPersistentHistoryToken())
        #expect(try all(context, after: start).isEmpty)
        let region = context.insertRegion("r")
        let quake = context.insertQuake("a", in: region)
        try context.save()
        let first = try #require(try container.currentPersistentHistoryToken())
        #expect(start < first && first > start && !(first <= start))
        // Nothing to write is no transaction.
        try context.save()
        quake.magnitude = 5
        quake.tags.insert(context.insertTag("t"))
        try context.save()
        context.transactionAuthor = nil
        try context.execute(
            BatchInsertRequest(
                Quake.self, objects: [["code": "b"], ["code": "c"]]))
        context.delete(region)
        try context.save()

        let told = try all(context)
        #expect(told.map(\.author) == ["me", "me", nil, nil])
        #expect(told.allSatisfy { $0.contextName == "view" })
        #expect(told == (try all(context, after: start)))
        #expect(Array(told.dropFirst()) == (try all(context, after: first)))
        #expect(told.last?.token == (try container.currentPersistentHistoryToken()))
        #expect(
            Set(told[0].changes?.map(\.changedObjectID) ?? []) == [region.objectID, quake.objectID])
        #expect(told[0].changes?.allSatisfy { $0.changeType == .insert } == true)
        let update = told[1].changes?.first { $0.changedObjectID == quake.objectID }
        #expect(
            update?.changeType == .update && update?.updatedProperties == ["magnitude", "tags"])
        #expect(told[1].changes?.count == 2)
        #expect(told[2].changes?.map(\.changeType) == [.insert, .insert])
        // What a rule deletes is listed.
        #expect(told[3].changes?.count { $0.changeType == .delete } == 2)
        try container.close()
    }

    @Test(arguments: StoreKind.allCases)
    func aHistoryThatDoesNotGoOnIsCalledDamaged(kind: StoreKind) throws {
        let plan = FaultPlan()
        let container = try PersistentContainer.open(
            model: Seismology.model, stores: [plan.faulty(kind.description.keepingHistory())])
        let context = container.viewContext
        for name in ["a", "b", "c"] {
            _ = context.insertRegion(name)
            try context.save()
        }
        let consumer = try container.historyConsumer(named: "index")
        guard case .transactions(_, let first) = try consumer.next(maximumTransactions: 1) else {
            Issue.record("nothing to read")
            return
        }
        plan.repeatsHistory = true
        #expect(storeErrorCode { try context.execute(.fetchHistory(after: nil)) } == .damagedFile)
        #expect(storeErrorCode { try context.execute(.fetchHistory(after: first)) } == .damagedFile)
        #expect(
            storeErrorCode { try context.execute(.fetchHistory(after: .distantFuture)) }
                == .damagedFile)
        #expect(storeErrorCode { try consumer.next(after: first) } == .damagedFile)
        plan.repeatsHistory = false
        #expect(try all(context).count == 3)
        try container.close()
    }

    @Test(arguments: StoreKind.allCases)
    func aSaveThatDeletesWhatItInsertedOrChangedTellsWhatIsLeft(kind: StoreKind) throws {
        let container = try container(kind)
        let context = container.viewContext
        let kept = context.insertQuake("a")
        let gone = context.insertQuake("b")
        try context.save()
        let token = try container.currentPersistentHistoryToken()
        context.delete(context.insertQuake("c"))
        gone.magnitude = 9
        context.delete(gone)
        kept.magnitude = 3
        try context.save()
        let changes = try #require(try all(context, after: token).first?.changes)
        #expect(
            changes.map { [$0.changeType.rawValue, Int($0.changedObjectID.key)] }
                == [[1, Int(kept.objectID.key)], [2, Int(gone.objectID.key)]])
        try container.close()
    }

    @Test(arguments: StoreKind.allCases)
    func everyResultTypeGivesItsPart(kind: StoreKind) throws {
        let container = try container(kind)
        let context = container.viewContext
        let quake = context.insertQuake("a")
        try context.save()
        quake.magnitude = 2
        try context.save()
        quake.magnitude = 3
        _ = context.insertTag("t")
        try context.save()
        var request = PersistentHistoryChangeRequest.fetchHistory(after: nil)
        let token = try container.currentPersistentHistoryToken()
        for type in PersistentHistoryResultType.allCases {
            request.resultType = type
            let result = try context.execute(request)
            #expect(result.count == 3 && result.token == token)
            #expect(
                result.transactions.count
                    == ([.transactionsOnly, .transactionsAndChanges].contains(type) ? 3 : 0))
            #expect(result.changes.count == (type == .changesOnly ? 4 : 0))
            #expect(result.objectIDs.count == (type == .objectIDs ? 2 : 0))
            #expect(
                result.transactions.allSatisfy {
                    ($0.changes == nil) == (type == .transactionsOnly)
                })
        }
        try container.close()
    }

    @Test(arguments: StoreKind.allCases)
    func filtersAndPredicatesChooseTransactionsAndChanges(kind: StoreKind) throws {
        let container = try container(kind)
        let context = container.viewContext
        for (number, author) in ["a", "b", nil, "a", "b", "A"].enumerated() {
            context.transactionAuthor = author
            _ = context.insertQuake("q\(number)")
            if number % 2 == 0 { _ = context.insertTag("t\(number)") }
            try context.save()
        }
        func authors(
            _ change: (inout PersistentHistoryChangeRequest) throws -> Void
        ) throws -> [String?] {
            var request = PersistentHistoryChangeRequest.fetchHistory(after: nil)
            try change(&request)
            return try context.execute(request).transactions.map(\.author)
        }
        #expect(try authors { $0.transactionFilter = { $0.author == "b" } } == ["b", "b"])
        #expect(
            try authors { $0.transactionPredicate = try predicate("author == 'a'") }
                == ["a", "a"])
        #expect(
            try authors {
                $0.transactionPredicate = try predicate("author ==[c] 'A'")
            } == ["a", "a", "A"])
        #expect(
            try authors { $0.transactionPredicate = try predicate("author == nil") }
                == [nil])
        let numbers = try all(context).map(\.transactionNumber)
        #expect(
            try authors {
                $0.transactionPredicate = try predicate(
                    "transactionNumber > \(numbers[1]) AND contextName == 'view' AND author != 'b'")
            } == [nil, "a", "A"])
        #expect(
            try authors {
                $0.changePredicate = try predicate(
                    "changedEntity == 'Tag' AND changeType == 0")
            } == ["a", nil, "b"])
        #expect(try authors { $0.changeFilter = { $0.changeType == .delete } } == [])
        #expect(try authors { $0.fetchLimit = 2 } == ["a", "b"])
        #expect(
            try authors {
                $0.fetchLimit = 1
                $0.transactionFilter = { $0.author == "b" }
            } == ["b"])
        // A limit leaves a token to go on with.
        var page = PersistentHistoryChangeRequest.fetchHistory(after: nil)
        page.fetchLimit = 4
        page.resultType = .transactionsOnly
        let first = try context.execute(page)
        #expect(first.count == 4)
        #expect(try all(context, after: first.token).map(\.author) == ["b", "A"])
        var wrong = PersistentHistoryChangeRequest.fetchHistory(after: nil)
        wrong.transactionPredicate = try predicate("colour == 1")
        #expect(throws: FetchPredicateError.self) { try context.execute(wrong) }
        try container.close()
    }

    @Test(arguments: StoreKind.allCases)
    func changesOfTransactionsThatAreNotWantedAreNotRead(kind: StoreKind) throws {
        let container = try container(kind)
        let context = container.viewContext
        for number in 0..<20 {
            context.transactionAuthor = number == 7 ? "wanted" : "other"
            _ = context.insertQuake("q\(number)")
            try context.save()
        }
        var request = PersistentHistoryChangeRequest.fetchHistory(after: nil)
        request.transactionFilter = { transaction in
            // The filter sees transactions as they are in the list: without what they changed.
            transaction.changes == nil && transaction.author == "wanted"
        }
        let found = try context.execute(request).transactions
        #expect(found.map(\.author) == ["wanted"] && found.first?.changes?.count == 1)
        try container.close()
    }

    /// Dates are hints: what follows the first younger transaction is told, whatever its date.
    @Test(arguments: StoreKind.allCases)
    func aClockThatIsSetBackHidesNothing(kind: StoreKind) throws {
        let time = Locked<Double>(1_000)
        let clock = StoreClock(date: {
            Date(timeIntervalSinceReferenceDate: time.withLock { $0 })
        }) { .zero }
        let container = try container(kind, clock: clock)
        let context = container.viewContext
        for (number, seconds) in [1_000.0, 2_000, 500, 3_000, 1_500].enumerated() {
            time.withLock { $0 = seconds }
            _ = context.insertQuake("q\(number)")
            try context.save()
        }
        func count(after seconds: Double) throws -> Int {
            let date = Date(timeIntervalSinceReferenceDate: seconds)
            return try context.execute(.fetchHistory(after: date)).count
        }
        #expect(try count(after: 0) == 5)
        #expect(try count(after: 1_000) == 4)
        #expect(try count(after: 2_000) == 2)
        #expect(try count(after: 3_000) == 0)
        #expect(
            try all(context).map(\.timestamp.timeIntervalSinceReferenceDate)
                == [1_000, 2_000, 500, 3_000, 1_500])
        let old = Date(timeIntervalSinceReferenceDate: 2_500)
        let deleted = try context.execute(.deleteHistory(before: old))
        #expect(deleted.count == 3)
        #expect(try all(context).count == 2)
        try container.close()
    }

    @Test(arguments: StoreKind.allCases)
    func whatIsDeletedIsMissedByTokensBeforeIt(kind: StoreKind) throws {
        let container = try container(kind)
        let context = container.viewContext
        var tokens = [try container.currentPersistentHistoryToken()]
        for number in 0..<4 {
            _ = context.insertQuake("q\(number)")
            try context.save()
            tokens.append(try container.currentPersistentHistoryToken())
        }
        // The transaction of the token stays.
        #expect(try context.execute(.deleteHistory(before: tokens[2])).count == 1)
        #expect(try all(context).count == 3)
        #expect(try all(context, after: tokens[1]).count == 3)
        #expect(storeErrorCode { try all(context, after: tokens[0]) } == .historyTokenExpired)
        let third = try #require(try all(context, after: tokens[2]).first)
        #expect(try context.execute(.deleteHistory(before: third)).count == 1)
        #expect(
            try context.execute(.deleteHistory(before: nil as PersistentHistoryToken?)).count == 2)
        #expect(try all(context).isEmpty)
        #expect(try all(context, after: tokens[4]).isEmpty)
        #expect(storeErrorCode { try all(context, after: tokens[3]) } == .historyTokenExpired)
        _ = context.insertQuake("next")
        try context.save()
        #expect(try all(context, after: tokens[4]).count == 1)
        try container.close()
    }

    @Test func tokensOfOtherStoresAndStoresWithoutHistoryAreRefused() throws {
        let container = try container(.memory)
        let other = try self.container(.memory)
        let token = try other.currentPersistentHistoryToken()
        let context = container.viewContext
        #expect(storeErrorCode { try all(context, after: token) } == .historyTokenUnknown)
        #expect(
            storeErrorCode { try context.execute(.deleteHistory(before: token)) }
                == .historyTokenUnknown)
        // An empty token is the beginning.
        #expect(try all(context, after: PersistentHistoryToken()).isEmpty)
        let plain = try StoreKind.sqlite.container()
        #expect(try plain.currentPersistentHistoryToken() == nil)
        #expect(storeErrorCode { try all(plain.viewContext) } == .historyMissing)
        #expect(storeErrorCode { try plain.historyConsumer(named: "c") } == .historyMissing)
        for container in [container, other, plain] { try container.close() }
    }

    /// Once begun, it goes on, whoever opens the store and however.
    @Test(arguments: [StoreKind.sqlite, .lmdb])
    func aHistoryGoesOnWhoeverOpensTheStore(kind: StoreKind) throws {
        let description = kind.description
        let early = try PersistentContainer.open(model: Seismology.model, stores: [description])
        try early.saveElsewhere { _ = $0.insertQuake("a") }
        let late = try PersistentContainer.open(
            model: Seismology.model, stores: [description.keepingHistory()])
        // Those who had the store open before write it too.
        try early.saveElsewhere { _ = $0.insertQuake("b") }
        try late.saveElsewhere { _ = $0.insertQuake("c") }
        try early.saveElsewhere { _ = $0.insertQuake("d") }
        #expect(try all(late.viewContext).count == 3)
        #expect(try all(early.viewContext).count == 3)
        #expect(try early.currentPersistentHistoryToken() == late.currentPersistentHistoryToken())
        try early.close()
        try late.close()
        let again = try PersistentContainer.open(model: Seismology.model, stores: [description])
        try again.saveElsewhere { _ = $0.insertQuake("e") }
        #expect(try all(again.viewContext).count == 4)
        try again.close()
        let reading = try PersistentContainer.open(
            model: Seismology.model, stores: [description.readOnly().keepingHistory()])
        #expect(try all(reading.viewContext).count == 4)
        #expect(
            storeErrorCode {
                try reading.viewContext.execute(.deleteHistory(before: Date.distantFuture))
            } == .readOnly)
        try reading.close()
    }

    @Test(arguments: StoreKind.allCases)
    func oldTransactionsGoByThemselves(kind: StoreKind) throws {
        let time = Locked<Double>(0)
        let clock = StoreClock(date: {
            Date(timeIntervalSinceReferenceDate: time.withLock { $0 })
        }) { .zero }
        let container = try container(kind, clock: clock, days: 1)
        let context = container.viewContext
        for number in 0..<1_030 {
            if number == 1_000 { time.withLock { $0 = 86_401 } }
            if number == 500 {
                _ = try container.historyConsumer(
                    named: "slow", leaseSeconds: 1_000_000, beginning: .now)
            }
            _ = context.insertQuake("q\(number)")
            try context.save()
        }
        let told = try all(context)
        #expect(told.count > 500 && told.count <= 531, "\(told.count)")
        if kind != .memory {
            try container.historyConsumer(named: "slow").remove()
            try container.persistentStoreCoordinator.store.maintainIfCapable()
            #expect(try all(context).count <= 31)
        }
        try container.close()
    }

    @Test func aTransactionIsMergedByHand() throws {
        let container = try container(.memory)
        let context = container.viewContext
        context.automaticallyMergesChangesFromParent = false
        let quake = context.insertQuake("a")
        try context.save()
        let token = try container.currentPersistentHistoryToken()
        try container.saveElsewhere { context in
            try context.quake("a")?.magnitude = 7
            _ = context.insertQuake("b")
        }
        #expect(quake.magnitude == 1)
        let transaction = try #require(try all(context, after: token).first)
        let ids = ChangedObjectIDs(transaction)
        #expect(ids.inserted.count == 1 && ids.updated == [quake.objectID])
        context.mergeChanges(fromContextDidSave: ids)
        #expect(quake.magnitude == 7)
        try container.close()
    }

    @Test func theHistoryOfSeveralStoresIsToldStoreByStore() throws {
        let container = try PersistentContainer.open(
            model: Seismology.model,
            stores: [
                StoreKind.sqlite.description.keepingHistory(), .memory(),
                StoreKind.lmdb.description.keepingHistory(),
            ])
        let context = container.viewContext
        let start = try #require(try container.currentPersistentHistoryToken())
        #expect(start.transactionNumbers.count == 2)
        for store in container.stores + container.stores {
            let quake = context.insertQuake("q\(UUID())")
            try context.assign(quake, to: store)
            try context.save()
        }
        let found = try context.execute(.fetchHistory(after: start))
        #expect(found.transactions.count == 4)
        let ids = container.stores.compactMap(\.uuid)
        #expect(found.transactions.map(\.storeID) == [ids[0], ids[0], ids[2], ids[2]])
        var request = PersistentHistoryChangeRequest.fetchHistory(after: start)
        request.affectedStores = [container.stores[2]]
        #expect(try context.execute(request).count == 2)
        request.affectedStores = [container.stores[1]]
        #expect(storeErrorCode { try context.execute(request) } == .historyMissing)
        try container.close()
    }
}

/// Tokens as values to keep.
@Suite struct HistoryTokenTests {
    @Test func tokensAreReadBackFromTheirTexts() throws {
        let stores = (0..<3).map { _ in UUID() }
        let token = PersistentHistoryToken([stores[0]: 5, stores[1]: .max, stores[2]: 0])
        #expect(PersistentHistoryToken(token.description) == token)
        let json = try JSONEncoder().encode(["token": token])
        #expect(
            try JSONDecoder().decode([String: PersistentHistoryToken].self, from: json)["token"]
                == token)
        #expect(PersistentHistoryToken("") == PersistentHistoryToken())
        let id = stores[0].uuidString
        for wrong in [
            "x", "\(id)", "\(id):", "\(id):-1", "\(id):1:2", "\(id):1,", ",", "\(id):1,\(id):2",
            "\(id):99999999999999999999", "\(id):1 ",
        ] {
            #expect(PersistentHistoryToken(wrong) == nil, "\(wrong)")
            let data = try JSONEncoder().encode([wrong])
            #expect(throws: DecodingError.self) {
                try JSONDecoder().decode([PersistentHistoryToken].self, from: data)
            }
        }
    }

    @Test func tokensAreOrderedStoreByStore() {
        let (a, b) = (UUID(), UUID())
        let early = PersistentHistoryToken([a: 1])
        let late = PersistentHistoryToken([a: 2, b: 1])
        let aside = PersistentHistoryToken([a: 3, b: 0])
        #expect(early < late && late > early && early <= early && early >= early)
        #expect(!(early < early) && !(late < aside) && !(aside < late) && !(late <= aside))
        #expect(late.union(aside) == PersistentHistoryToken([a: 3, b: 1]))
        #expect(late.union(aside) >= late && late.union(aside) > aside)
    }

    /// Whatever text there is, it is a token or none, without a trap.
    @Test func anyTextIsATokenOrNone() {
        var random = SplitMix64(seed: 9)
        let pieces = [UUID().uuidString, ":", ",", "1", "-", "9223372036854775807", "x", "\u{0}"]
        for _ in 0..<20_000 {
            let text = (0..<Int(random.next() % 8)).map { _ in
                pieces[Int(random.next() % UInt64(pieces.count))]
            }.joined()
            if let token = PersistentHistoryToken(text) {
                #expect(PersistentHistoryToken(token.description) == token)
            }
        }
    }
}
