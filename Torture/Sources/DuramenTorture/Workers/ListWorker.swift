import Duramen
import DuramenModel
import DuramenTestKit
import Foundation

/// Works on lists that other processes work on too: `action=make`, `run` or `read`.
///
/// `run` writes its transactions to the file `history`, a line each, and `read` the lists at the
/// end.
///
///     ready           the tasks are there; the word of the parent begins
///     failed CODE     a typed error that no other process explains
///     wrong TEXT      an error that no documentation knows
///     done            the store is closed
struct ListWorker {
    private let arguments: WorkerArguments
    private let container: PersistentContainer
    private let lists: Lists

    init(_ arguments: WorkerArguments) throws {
        self.arguments = arguments
        lists = Lists(transactions: arguments.number("all", default: 10_000))
        var description = try arguments.description(in: arguments.text("folder"))
        if arguments.number("compares", default: 1) == 0 {
            let plan = FaultPlan()
            plan.comparesVersions = false
            description = plan.faulty(description)
        }
        container = try PersistentContainer.open(
            model: Lists.makeModel(), stores: [description])
    }

    func run() throws {
        do {
            switch try arguments.text("action") {
            case "make": try container.newBackgroundContext().performAndWait(lists.make)
            case "run": try runTasks()
            case "read":
                let all = try container.newBackgroundContext().performAndWait(lists.all)
                let steps = all.map { ListTransaction.Step.read(list: $0.key, $0.value) }
                try write([ListTransaction("final", .committed, steps)])
            case let action: throw TortureError("lists know no action '\(action)'")
            }
            try container.close()
            Output.say("done")
        } catch {
            Output.say(TypedError.answer(error, "failed"))
        }
    }

    private func runTasks() throws {
        let first = arguments.number("first", default: 0)
        let seed = UInt64(arguments.number("seed", default: 1))
        let tasks = try (0..<Isolation.tasks).map { place in
            try ListTask(
                first + place, lists, transactions: arguments.number("transactions", default: 1),
                isGuarded: arguments.number("guards", default: 0) == 1, container)
        }
        Output.say("ready")
        _ = readLine()
        let history = Locked<[ListTransaction]>([])
        let failure = Locked<(any Error)?>(nil)
        let group = DispatchGroup()
        for task in tasks {
            group.enter()
            Thread.detachNewThread {
                defer { group.leave() }
                do {
                    try task.run(seed: seed) { transaction in
                        history.withLock { $0.append(transaction) }
                    }
                } catch {
                    failure.withLock { $0 = error }
                }
            }
        }
        group.wait()
        try write(history.withLock { $0 })
        if let error = failure.withLock({ $0 }) { throw error }
    }

    private func write(_ history: [ListTransaction]) throws {
        let text = history.map { $0.description + "\n" }.joined()
        try Data(text.utf8).write(to: URL(fileURLWithPath: arguments.text("history")))
    }
}
