import Duramen

/// Holds a snapshot of the store until it is killed. Says `holding` when it has read from it.
struct HoldWorker {
    let arguments: WorkerArguments

    func run() throws {
        let folder = try arguments.text("folder")
        let store = try arguments.description(in: folder).open(model: BankModel.make())
        let snapshot = try store.snapshot()
        guard let account = store.model.entity(named: "Account") else { return }
        // A snapshot that nothing was read from may not be there yet.
        let count = try snapshot.count(StoreQuery(entity: account.id))
        guard count == Bank.accountCount else { throw Unsound("\(count) accounts") }
        Output.say("holding")
        while readLine() != nil {}
        withExtendedLifetime(snapshot) {}
    }
}

/// Rewrites all accounts as often as each line of its input says, one save each, and says `rewritten`; 0
/// gives the accounts back what an audit expects.
struct RewriteWorker {
    let arguments: WorkerArguments

    func run() throws {
        let folder = try arguments.text("folder")
        let container = try PersistentContainer.open(
            model: BankModel.make(), stores: [arguments.description(in: folder)])
        let context = container.newBackgroundContext()
        var round = 0
        while let line = readLine(), let count = Int(line) {
            let rounds: [Int?] = count == 0 ? [nil] : Array(round + 1...round + count)
            round += count
            for round in rounds {
                try context.performAndWait { context -> Result<Void, any Error> in
                    Result { try Bank(context: context).rewrite(round: round) }
                }.get()
            }
            Output.say("rewritten")
        }
        try container.close()
    }
}
