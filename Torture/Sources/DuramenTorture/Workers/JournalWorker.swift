import Duramen
import DuramenTestKit
import Foundation

/// Writes or follows a journal that other processes write too: `action=make`, `write`, `end`,
/// `consume`, `follow`, `list` or `audit`.
///
///     ready               the store is open, and what is written from now on is followed
///     begin ATTEMPT       a save or batch begins
///     saved ATTEMPT       it is acknowledged
///     read …              what a reader has seen, see JournalReading
///     listed COUNT        how many entries a live list has at the end
///     sound ENTRIES TRANSACTIONS
///     unsound TEXT        something is missing, double or torn
///     failed CODE         a typed error that nothing here explains
///     wrong TEXT          an error that no documentation knows
///     done                the store is closed
struct JournalWorker {
    private let arguments: WorkerArguments
    private let container: PersistentContainer

    init(_ arguments: WorkerArguments) throws {
        self.arguments = arguments
        container = try Journal.open(arguments)
    }

    func run() throws {
        let action = try arguments.text("action")
        do {
            switch action {
            case "make": break
            case "write": try write()
            case "end": try save(attempt: 0, size: 1, author: Journal.end)
            case "consume": try consume()
            case "follow": try follow()
            case "list": try MainActor.assumeIsolated { try list() }
            case "audit": try audit()
            default: throw TortureError("a journal knows no action '\(action)'")
            }
            try container.close()
            Output.say("done")
        } catch let error as Unsound {
            Output.say("unsound \(error)")
        } catch {
            Output.say(TypedError.answer(error, "failed"))
        }
    }

    // MARK: - Writing

    private func write() throws {
        let first = arguments.number("first-attempt", default: 1)
        var random = SplitMix64(seed: UInt64(first))
        Output.say("ready")
        for attempt in first..<(first + 1_000_000) {
            Output.say("begin \(attempt)")
            let size = Int.random(in: 1...4, using: &random)
            switch Int.random(in: 0..<10, using: &random) {
            case 0: try batch(attempt: attempt, size: size * 25)
            case 1: try update(attempt: attempt)
            default: try save(attempt: attempt, size: size, author: "writer")
            }
            Output.say("saved \(attempt)")
            // So that the followers need not read millions of entries.
            usleep(UInt32.random(in: 5_000...30_000, using: &random))
        }
    }

    private func save(attempt: Int, size: Int, author: String) throws {
        let context = container.newBackgroundContext(ContextOptions(author: author))
        try context.performAndWait { context in
            for _ in 0..<size { try Self.insert(attempt, size, in: context) }
            try context.save()
        }
    }

    private static func insert(
        _ attempt: Int, _ size: Int, in context: ManagedObjectContext
    ) throws {
        let entry = try context.insert(Journal.entity)
        try entry.setValue(attempt, forKey: "attempt")
        try entry.setValue(size, forKey: "size")
        try entry.setValue(0, forKey: "value")
    }

    private func batch(attempt: Int, size: Int) throws {
        let context = container.newBackgroundContext(ContextOptions(author: "batch"))
        try context.performAndWait { context in
            var request = BatchInsertRequest(
                ManagedObject.self,
                objects: Array(
                    repeating: ["attempt": attempt, "size": size, "value": 0], count: size))
            request.entityName = Journal.entity
            try context.execute(request)
        }
    }

    /// An insertion of one entry, and an update of some other.
    private func update(attempt: Int) throws {
        let context = container.newBackgroundContext(
            ContextOptions(author: "update", mergePolicy: .mergeByPropertyObjectTrump))
        try context.performAndWait { context in
            var request = FetchRequest<ManagedObject>.all(Journal.entity)
            request.fetchLimit = 1
            if let entry = try context.fetch(request).first {
                try entry.setValue(attempt, forKey: "value")
            }
            try Self.insert(attempt, 1, in: context)
            try context.save()
        }
    }

    // MARK: - Following

    private func consume() throws {
        let consumer = try container.historyConsumer(
            named: arguments.text("name"), leaseSeconds: 3_600, beginning: .oldest)
        var reading = JournalReading(
            after: try consumer.token().transactionNumbers.values.first ?? 0)
        try whenWritten {
            while true {
                guard case .transactions(let found, let token) = try consumer.next() else {
                    throw Unsound("a live consumer is told to begin anew")
                }
                if found.isEmpty { return reading.isAtEnd }
                try reading.take(found)
                try consumer.acknowledge(token)
            }
        }
        Output.say(reading.line)
    }

    private func follow() throws {
        let coordinator = container.persistentStoreCoordinator
        var token = PersistentHistoryToken()
        var reading = JournalReading(after: 0)
        try whenWritten {
            let found = try coordinator.execute(.fetchHistory(after: token))
            try reading.take(found.transactions)
            token = found.token
            return reading.isAtEnd
        }
        Output.say(reading.line)
    }

    /// Calls a closure at the beginning and whenever something was written, until it says that this
    /// was the end.
    private func whenWritten(_ body: () throws -> Bool) throws {
        let changes = container.remoteChanges
        Output.say("ready")
        let signal = DispatchSemaphore(value: 0)
        let task = Task.detached {
            for await _ in changes { signal.signal() }
        }
        defer { task.cancel() }
        while try !body() {
            guard signal.wait(timeout: .now() + .seconds(60)) == .success else {
                throw Unsound("nobody says that something is written")
            }
        }
    }

    @MainActor private func list() throws {
        container.automaticallyMergesRemoteChanges = true
        let context = container.viewContext
        let controller = FetchedResultsController(
            fetchRequest: .all(Journal.entity).sorted(by: "attempt"),
            managedObjectContext: context)
        // A list is kept up to date for whoever follows it.
        let events = controller.events()
        defer { withExtendedLifetime(events) {} }
        try controller.performFetch()
        Output.say("ready")
        let limit = ContinuousClock.now + .seconds(3_600)
        // The last entry is the first in the order.
        while try controller.fetchedObjects?.first?.integer("attempt") != 0 {
            guard ContinuousClock.now < limit else { throw Unsound("the list never ends") }
            // Nobody turns the main queue here, so units of work end by hand.
            usleep(5_000)
            context.processPendingChanges()
        }
        let other = container.makeContext()
        let stored = try other.fetch(.all(Journal.entity).sorted(by: "attempt")).map(\.objectID)
        let listed = controller.fetchedObjects?.map(\.objectID) ?? []
        guard listed == stored else {
            throw Unsound(
                "a list has \(listed.count) entries in another order than the store's \(stored.count)"
            )
        }
        Output.say("listed \(listed.count)")
    }

    // MARK: - Looking

    /// Compares entries, history and what was acknowledged.
    private func audit() throws {
        let saved = Set(
            try String(contentsOfFile: arguments.text("saved"), encoding: .utf8)
                .split(separator: "\n").compactMap { Int($0) })
        let context = container.makeContext()
        var entries: [ManagedObjectID: Int] = [:]
        var counts: [Int: (found: Int, wanted: Int)] = [:]
        for entry in try context.fetch(.all(Journal.entity)) {
            let attempt = try entry.integer("attempt")
            entries[entry.objectID] = attempt
            let size = try entry.integer("size")
            counts[attempt, default: (0, size)].found += 1
        }
        for (attempt, count) in counts where count.found != count.wanted {
            throw Unsound("attempt \(attempt) left \(count.found) entries of \(count.wanted)")
        }
        let lost = saved.subtracting(counts.keys)
        if !lost.isEmpty { throw Unsound("\(lost.count) acknowledged attempts are gone") }
        let transactions = try context.execute(.fetchHistory(after: nil)).transactions
        var told: Set<ManagedObjectID> = []
        for transaction in transactions {
            let inserted = (transaction.changes ?? []).filter { $0.changeType == .insert }
                .map(\.changedObjectID)
            let attempts = Set(inserted.map { entries[$0] })
            guard attempts.count == 1, let attempt = attempts.first.flatMap({ $0 }) else {
                throw Unsound(
                    "transaction \(transaction.transactionNumber) tells of no one attempt")
            }
            guard inserted.count == counts[attempt]?.wanted else {
                throw Unsound("transaction \(transaction.transactionNumber) tells of a part")
            }
            for id in inserted where !told.insert(id).inserted {
                throw Unsound("entry \(id.key) is told of twice")
            }
        }
        guard told.count == entries.count else {
            throw Unsound("\(entries.count - told.count) entries are not told of")
        }
        Output.say("sound \(entries.count) \(transactions.count)")
    }
}
