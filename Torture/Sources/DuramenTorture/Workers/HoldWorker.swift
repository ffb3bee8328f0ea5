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

/// Rewrites accounts as often as each line of its input says and says `rewritten`; 0 gives all of
/// them back what an audit expects.
struct RewriteWorker {
    let arguments: WorkerArguments

    func run() throws {
        let container = try arguments.openBank()
        let context = container.newBackgroundContext()
        var round = 0
        while let line = readLine(), let count = Int(line) {
            if count == 0 { try work(context) { try $0.restore() } }
            for _ in 0..<count {
                round += 1
                let round = round
                try work(context) { try $0.rewrite(round: round) }
            }
            Output.say("rewritten")
        }
        try container.close()
    }

    private func work(
        _ context: BackgroundContext, _ body: @Sendable (Bank) throws -> Void
    ) throws {
        try context.performAndWait { try body(Bank(context: $0)) }
    }
}
