import Duramen
import DuramenTestKit
import Foundation

/// Transactions on lists, one after the other, each a unit of work of one context.
///
/// Every second task keeps a context that merges, and fetches its lists at once; the others pin
/// their context to a query generation for each transaction and read their lists one by one.
struct ListTask: Sendable {
    /// The number of the task among those of all processes.
    let number: Int
    let lists: Lists
    let transactions: Int
    let isGuarded: Bool
    private let context: BackgroundContext
    private let identifiers: [Int: ManagedObjectID]

    init(
        _ number: Int, _ lists: Lists, transactions: Int, isGuarded: Bool,
        _ container: PersistentContainer
    ) throws {
        self.number = number
        self.lists = lists
        self.transactions = transactions
        self.isGuarded = isGuarded
        context = container.newBackgroundContext(
            ContextOptions(
                name: "task \(number)", automaticallyMergesChangesFromParent: number % 2 == 0))
        identifiers = try context.performAndWait { context in
            var identifiers: [Int: ManagedObjectID] = [:]
            for list in try context.fetch(.all("List")) {
                identifiers[try list.integer("number")] = list.objectID
            }
            return identifiers
        }
    }

    private var isPinned: Bool { number % 2 == 1 }

    /// Runs the transactions and hands each one on when it is over.
    func run(seed: UInt64, _ report: (ListTransaction) -> Void) throws {
        var random = SplitMix64(seed: seed, case: number)
        for done in 0..<transactions {
            let window = lists.window(done: done, of: transactions)
            let plan = Plan(window, first: number * 10_000_000 + done * 10, &random)
            report(
                try context.performAndWait { context in
                    try run(plan, "\(number).\(done)", context)
                })
        }
    }

    /// What a transaction is to do.
    private struct Plan: Sendable {
        let reads: [Int]
        /// Numbers by list, in order.
        var appends: [(list: Int, number: Int)] = []
        let readsAgain: Bool
        /// How long to think between reading and writing, in seconds.
        let pause: Double

        init(_ window: Range<Int>, first: Int, _ random: inout SplitMix64) {
            reads = Array(
                window.shuffled(using: &random).prefix(Int.random(in: 2...3, using: &random)))
            var number = first
            // One in six only reads.
            if Int.random(in: 0..<6, using: &random) > 0 {
                for list in reads.prefix(Int.random(in: 1...2, using: &random)) {
                    for _ in 0..<Int.random(in: 1...2, using: &random) {
                        appends.append((list, number))
                        number += 1
                    }
                }
            }
            readsAgain = Int.random(in: 0..<4, using: &random) == 0
            pause = Double.random(in: 0..<0.001, using: &random)
        }
    }

    private func run(
        _ plan: Plan, _ name: String, _ context: ManagedObjectContext
    ) throws -> ListTransaction {
        var transaction = ListTransaction(name, .aborted)
        do {
            let objects = try objects(plan.reads, context)
            func read(_ list: Int) throws {
                guard let object = objects[list] else { throw Unsound("list \(list) is gone") }
                transaction.steps.append(.read(list: list, try Lists.elements(of: object)))
            }
            for list in plan.reads { try read(list) }
            Thread.sleep(forTimeInterval: plan.pause)
            for (list, number) in plan.appends {
                guard let object = objects[list] else { continue }
                try Lists.append(number, to: object)
                transaction.steps.append(.append(list: list, number))
            }
            if plan.readsAgain { for list in plan.reads { try read(list) } }
            if isGuarded { for object in objects.values { try context.guard(object) } }
            try context.save()
            transaction.outcome = .committed
        } catch is SaveConflictError {
            context.rollback()
        } catch let error as StoreError where error.code == .storeBusy {
            // Nothing was written.
            context.rollback()
        }
        return transaction
    }

    /// The lists of a transaction, all as they are in one state of the store.
    private func objects(
        _ numbers: [Int], _ context: ManagedObjectContext
    ) throws -> [Int: ManagedObject] {
        var objects: [Int: ManagedObject] = [:]
        if isPinned {
            try context.setQueryGeneration(from: .current)
            for number in numbers {
                guard let id = identifiers[number] else { continue }
                let object = context.object(with: id)
                try object.load()
                objects[number] = object
            }
            return objects
        }
        var request = FetchRequest<ManagedObject>.all("List").where(
            .comparison(
                PredicateComparison(
                    .keyPath(["number"]), .isIn, .list(numbers.map { .integer(Int64($0)) }))))
        request.shouldRefreshRefetchedObjects = true
        for object in try context.fetch(request) {
            objects[try object.integer("number")] = object
        }
        return objects
    }
}
