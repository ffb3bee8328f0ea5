import Duramen
import DuramenTestKit
import Foundation
import Testing

/// Transactions of several contexts, their steps in random order, judged by their history.
///
/// `Scripts/torture isolation` does the same with processes.
@Suite struct IsolationTests {
    private let seed = UInt64.random(in: 1...999_999)

    private func anomalies(
        _ kind: StoreKind, isGuarded: Bool = false, plan: FaultPlan? = nil
    ) throws -> (kinds: Set<IsolationAnomaly.Kind>, committed: Int) {
        print("isolation \(kind), seed \(seed)")
        var clients = try Clients(kind, isGuarded: isGuarded, seed: seed, plan: plan)
        while clients.history.count < 300 { try clients.step() }
        let found = IsolationChecker(clients.history, final: try clients.lists()).anomalies()
        return (Set(found.map(\.kind)), clients.history.count { $0.outcome == .committed })
    }

    @Test("By default nothing worse than write skew is seen", arguments: StoreKind.allCases)
    func byDefault(kind: StoreKind) throws {
        let (kinds, committed) = try anomalies(kind)
        #expect(kinds == [.writeSkew], "seed \(seed)")
        #expect(committed > 50)
    }

    @Test("With guards of all that was read nothing is seen", arguments: StoreKind.allCases)
    func withGuards(kind: StoreKind) throws {
        let (kinds, committed) = try anomalies(kind, isGuarded: true)
        #expect(kinds == [], "seed \(seed)")
        #expect(committed > 50)
    }

    @Test("A store that compares no versions is found out", arguments: StoreKind.allCases)
    func withoutVersions(kind: StoreKind) throws {
        let plan = FaultPlan()
        plan.comparesVersions = false
        let (kinds, committed) = try anomalies(kind, isGuarded: true, plan: plan)
        #expect(kinds.contains(.lostUpdate), "seed \(seed)")
        #expect(committed == 300)
    }
}

/// Contexts that take turns. Half of them read their lists by one fetch, the others one by one from
/// the state that they are pinned to.
private struct Clients {
    private static let listCount = 4

    private struct Transaction {
        var record: ListTransaction
        var unread: [Int]
        var objects: [Int: ManagedObject] = [:]
    }

    private(set) var history: [ListTransaction] = []
    private let isGuarded: Bool
    private let contexts: [ManagedObjectContext]
    private var open: [Transaction?]
    private var random: SplitMix64
    private var begun = 0
    private var numbers = 0

    init(_ kind: StoreKind, isGuarded: Bool, seed: UInt64, plan: FaultPlan?) throws {
        self.isGuarded = isGuarded
        random = SplitMix64(seed: seed)
        let model = try ManagedObjectModel([
            EntityDescription(
                name: "List",
                attributes: [
                    AttributeDescription("number", .integer64),
                    AttributeDescription("elements", .string),
                ])
        ])
        let container = try kind.container(model, plan: plan)
        let entity = try #require(model.entity(named: "List"))
        try container.saveElsewhere { context in
            for number in 0..<Self.listCount {
                let list = ManagedObject(entity: entity, context: context)
                try list.setValue(number, forKey: "number")
                try list.setValue("", forKey: "elements")
            }
        }
        contexts = (0..<6).map { place in
            container.makeContext(
                ContextOptions(
                    name: "\(place)", automaticallyMergesChangesFromParent: place < 3))
        }
        open = contexts.map { _ in nil }
    }

    /// What is stored.
    func lists() throws -> [Int: [Int]] {
        let context = contexts[0]
        context.rollback()
        var lists: [Int: [Int]] = [:]
        for (number, list) in try fetch(in: context) { lists[number] = try elements(of: list) }
        return lists
    }

    /// Lets one context do one thing.
    mutating func step() throws {
        let place = Int.random(in: contexts.indices, using: &random)
        let context = contexts[place]
        guard var transaction = open[place] else {
            open[place] = try begin(place, context)
            return
        }
        if let list = transaction.unread.popLast() {
            try read(list, of: fetch(in: context), &transaction, in: context)
            open[place] = transaction
            return
        }
        open[place] = nil
        try finish(&transaction, in: context)
        history.append(transaction.record)
    }

    private mutating func begin(
        _ place: Int, _ context: ManagedObjectContext
    ) throws -> Transaction {
        begun += 1
        let lists = (0..<Self.listCount).shuffled(using: &random).prefix(2)
        var transaction = Transaction(
            record: ListTransaction("t\(begun)", .aborted), unread: Array(lists))
        if place < 3 {
            context.processPendingChanges()
            let found = try fetch(in: context)
            while let list = transaction.unread.popLast() {
                try read(list, of: found, &transaction, in: context)
            }
        } else {
            try context.setQueryGeneration(from: .current)
        }
        return transaction
    }

    private func read(
        _ list: Int, of found: [Int: ManagedObject], _ transaction: inout Transaction,
        in context: ManagedObjectContext
    ) throws {
        let object = try #require(found[list])
        transaction.objects[list] = object
        transaction.record.steps.append(.read(list: list, try elements(of: object)))
        if isGuarded { try context.guard(object) }
    }

    /// Appends to one of the lists that were read, now and then twice or not at all, and saves.
    private mutating func finish(
        _ transaction: inout Transaction, in context: ManagedObjectContext
    ) throws {
        guard case .read(let list, _)? = transaction.record.steps.first,
            let object = transaction.objects[list]
        else { return }
        for _ in 0..<Int.random(in: 0...2, using: &random) {
            numbers += 1
            let new = try elements(of: object) + [numbers]
            try object.setValue(
                new.map(String.init).joined(separator: ","), forKey: "elements")
            transaction.record.steps.append(.append(list: list, numbers))
        }
        do {
            try context.save()
            transaction.record.outcome = .committed
        } catch is SaveConflictError {
            context.rollback()
        }
    }

    private func fetch(in context: ManagedObjectContext) throws -> [Int: ManagedObject] {
        var request = FetchRequest<ManagedObject>(entityName: "List")
        request.shouldRefreshRefetchedObjects = true
        var lists: [Int: ManagedObject] = [:]
        for list in try context.fetch(request) {
            let number = try #require(try list.value(forKey: "number") as? Int64)
            lists[Int(number)] = list
        }
        return lists
    }

    private func elements(of list: ManagedObject) throws -> [Int] {
        let text = try #require(try list.value(forKey: "elements") as? String)
        return text.split(separator: ",").compactMap { Int($0) }
    }
}
