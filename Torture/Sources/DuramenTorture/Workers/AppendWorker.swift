import Duramen

/// Adds entries of its own to the journal for some seconds, one per save.
///
/// Says `total COUNT BUSY` at the end: entries acknowledged, numbered from 1 above the writer's
/// base, and saves that were refused because others held the store.
struct AppendWorker {
    static let base = 1_000_000_000

    let arguments: WorkerArguments

    func run() throws {
        let container = try arguments.openBank()
        let context = container.newBackgroundContext()
        let base = arguments.number("writer", default: 1) * Self.base
        let end = ContinuousClock.now + .seconds(arguments.number("seconds", default: 1))
        var (total, busy) = (0, 0)
        while ContinuousClock.now < end {
            let number = base + total + 1
            let isSaved = try succeeds {
                try context.performAndWait { context in
                    // What a save that failed leaves is forgotten too.
                    defer { context.reset() }
                    try append(number, context)
                }
            }
            if isSaved { total += 1 } else { busy += 1 }
        }
        try container.close()
        Output.say("total \(total) \(busy)")
    }

    private func append(_ number: Int, _ context: ManagedObjectContext) throws {
        let entry = try context.insert("Entry")
        try entry.setValue(number, forKey: "number")
        try entry.setValue(number, forKey: "attempt")
        try entry.setValue(0, forKey: "amount")
        try context.save()
    }
}

/// Whether work succeeds, or others hold the store; any other error is thrown.
private func succeeds(_ body: () throws -> Void) throws -> Bool {
    do {
        try body()
        return true
    } catch let error as StoreError where error.code == .storeBusy {
        return false
    }
}

/// Does the store's housekeeping over and over for some seconds. Says `total COUNT BUSY` at the
/// end.
struct MaintainWorker {
    let arguments: WorkerArguments

    func run() throws {
        let container = try arguments.openBank()
        let end = ContinuousClock.now + .seconds(arguments.number("seconds", default: 1))
        var (total, busy) = (0, 0)
        while ContinuousClock.now < end {
            let isDone = try succeeds {
                try container.persistentStoreCoordinator.store.maintainIfCapable()
            }
            if isDone { total += 1 } else { busy += 1 }
        }
        try container.close()
        Output.say("total \(total) \(busy)")
    }
}

/// Counts what the writers added, and says `counted WRITER:COUNT …`; a gap is an error.
struct CountWorker {
    let arguments: WorkerArguments

    func run() throws {
        let container = try arguments.openBank()
        let counts = try container.newBackgroundContext().performAndWait { context in
            var counts: [Int: Int] = [:]
            for entry in try context.fetch(.all("Entry").sorted(by: "number")) {
                let number = try entry.integer("number")
                let writer = number / AppendWorker.base
                counts[writer, default: 0] += 1
                let expected = writer * AppendWorker.base + (counts[writer] ?? 0)
                guard number == expected else {
                    throw Unsound("entry \(expected) of a writer is missing")
                }
            }
            return counts
        }
        try container.close()
        let list = counts.sorted { $0.key < $1.key }.map { "\($0.key):\($0.value)" }
        Output.say("counted \(list.joined(separator: " "))")
    }
}
