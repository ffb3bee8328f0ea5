import Duramen
import DuramenTestKit
import Foundation

/// Audits one bank after the other, named by lines on its input.
///
///     look FOLDER              opens the store, reads everything, closes it
///     go-on FOLDER             and then saves once more, audits again, and asks the engine
///
/// Answers, one line each:
///
///     sound ENTRIES ATTEMPTS MICROSECONDS   ENTRIES is -1 for a store without accounts; MICROSECONDS is
///                                           what opening took
///     refused CODE                          a typed error
///     unsound TEXT                          an answer that cannot be true
///     wrong TEXT                            an error that no documentation knows
struct AuditWorker {
    private let arguments: WorkerArguments
    private let kind: StoreKind
    private let model: ManagedObjectModel

    init(_ arguments: WorkerArguments) throws {
        self.arguments = arguments
        kind = try arguments.kind
        model = try BankModel.make()
    }

    func run() {
        while let line = readLine() {
            let words = line.split(separator: " ", maxSplits: 1).map(String.init)
            guard words.count == 2 else { continue }
            do {
                Output.say(try audit(words[1], goesOn: words[0] == "go-on"))
            } catch let unsound as Unsound {
                Output.say("unsound \(TypedError.line(unsound))")
            } catch {
                Output.say(TypedError.answer(error, "refused"))
            }
        }
    }

    private func audit(_ folder: String, goesOn: Bool) throws -> String {
        let start = ContinuousClock.now
        let container = try PersistentContainer.open(
            model: model, stores: [arguments.description(in: folder)])
        let microseconds = Int(start.duration(to: .now) / .microseconds(1))
        // Whatever is found, the next store may be a copy of this one.
        defer { try? container.close() }
        let found = try audit(container)
        if goesOn {
            let last = try goOn(container, after: found)
            try checkFiles(container, in: folder, after: last)
            try container.close()
            if let complaint = kind.engineComplaint(kind.path(in: folder)) {
                throw Unsound("the engine: \(complaint)")
            }
        }
        let attempts = found.attempts.sorted().map(String.init).joined(separator: ",")
        let entries = found.isFounded ? found.lastEntry : -1
        return "sound \(entries) \(attempts.isEmpty ? "-" : attempts) \(microseconds)"
    }

    private func audit(_ container: PersistentContainer) throws -> Audit {
        try container.newBackgroundContext().performAndWait { try Bank(context: $0).audit() }
    }

    /// Looks for files of portraits that no row refers to, of which housekeeping leaves none.
    private func checkFiles(
        _ container: PersistentContainer, in folder: String, after audit: Audit
    ) throws {
        let report = try container.persistentStoreCoordinator.store.maintainIfCapable()
        guard report.isComplete else { throw Unsound("housekeeping left something to do") }
        let files = FileSystem.files(in: folder).filter {
            UUID(uuidString: ($0 as NSString).lastPathComponent) != nil
        }
        guard files.count == audit.largePortraits.count else {
            throw Unsound(
                "\(files.count) files of \(audit.largePortraits.count) portraits are left")
        }
    }

    /// Saves once more.
    ///
    /// - Returns: What is found afterwards.
    private func goOn(_ container: PersistentContainer, after found: Audit) throws -> Audit {
        let audit = try container.newBackgroundContext().performAndWait { context in
            let bank = Bank(context: context)
            if !found.isFounded { try bank.found() }
            // Attempts of audits are negative; those of workers are not.
            var random = SplitMix64(seed: UInt64(found.lastEntry))
            try bank.transfer(
                entry: found.lastEntry + 1, attempt: -found.lastEntry - 1, random: &random)
            return try bank.audit()
        }
        guard audit.lastEntry == found.lastEntry + 1 else {
            throw Unsound("a save after entry \(found.lastEntry) is not in the journal")
        }
        return audit
    }
}
