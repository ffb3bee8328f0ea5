import Duramen
import DuramenTestKit

/// Saves transfers and says after each what became of it. It goes on after every error.
///
///     opened MICROSECONDS     the store is open
///     founded                 the accounts are saved
///     begin ENTRY ATTEMPT     a save is about to be tried
///     saved ENTRY ATTEMPT     it is acknowledged
///     refused ATTEMPT CODE    it failed, and nothing may be written
///     unknown ATTEMPT CODE    it failed, and whether it is written is not known
///     failed ACTION CODE      something else failed, with a typed error
///     wrong ACTION TEXT       something failed with an error that no documentation knows
///     done                    the store is closed
struct BankWorker {
    private let arguments: WorkerArguments
    private let description: PersistentStoreDescription
    private let model: ManagedObjectModel
    private var random: SplitMix64
    private var container: PersistentContainer?
    private var context: BackgroundContext?
    private var attempt: Int
    private var errors = 0

    init(_ arguments: WorkerArguments) throws {
        self.arguments = arguments
        description = try arguments.description(in: arguments.text("folder"))
        model = try BankModel.make()
        random = SplitMix64(seed: UInt64(arguments.number("seed", default: 1)))
        attempt = arguments.number("first-attempt", default: 1)
    }

    mutating func run() {
        let transactions = arguments.number("transactions", default: 12)
        let maintainEvery = arguments.number("maintain-every", default: 0)
        let reopenAfter = arguments.number("reopen-after", default: 0)
        for turn in 1...max(1, transactions) {
            guard open() else { return }
            transfer()
            if errors >= arguments.number("errors", default: .max) { break }
            if maintainEvery > 0, turn.isMultiple(of: maintainEvery) {
                report("maintain") {
                    try container?.persistentStoreCoordinator.store.maintainIfCapable()
                }
            }
            if turn == reopenAfter { close() }
        }
        close()
        Output.say("done")
    }

    /// Opens the store unless it is open, and makes the accounts unless they are there.
    private mutating func open() -> Bool {
        if container != nil { return true }
        let start = ContinuousClock.now
        let (model, description) = (model, description)
        report("open") {
            container = try PersistentContainer.open(model: model, stores: [description])
        }
        guard let container else { return false }
        Output.say("opened \(Int(start.duration(to: .now) / .microseconds(1)))")
        context = container.newBackgroundContext()
        return true
    }

    private mutating func close() {
        context = nil
        report("close") { try container?.close() }
        container = nil
    }

    private mutating func transfer() {
        guard let context else { return }
        attempt += 1
        let (attempt, before) = (attempt, random)
        let note = String(repeating: "n", count: arguments.number("note-bytes", default: 0))
        do {
            random = try context.performAndWait { context in
                var random = before
                let bank = Bank(context: context)
                defer { context.rollback() }
                if try !bank.isFounded() {
                    try bank.found()
                    Output.say("founded")
                }
                let entry = try bank.lastEntry() + 1
                Output.say("begin \(entry) \(attempt)")
                try bank.transfer(entry: entry, attempt: attempt, note: note, random: &random)
                Output.say("saved \(entry) \(attempt)")
                return random
            }
        } catch {
            tell(error, of: attempt)
        }
    }

    private mutating func tell(_ error: any Error, of attempt: Int) {
        errors += 1
        guard let code = TypedError.code(of: error) else {
            Output.say("wrong save \(TypedError.line(error))")
            return
        }
        if code == StoreError.Code.unknownOutcome.rawValue {
            Output.say("unknown \(attempt) \(code)")
            // The documented remedy.
            close()
        } else {
            Output.say("refused \(attempt) \(code)")
        }
    }

    private func report(_ action: String, _ body: () throws -> Void) {
        do {
            try body()
        } catch {
            Output.say(TypedError.answer(error, "failed", of: action))
        }
    }
}
