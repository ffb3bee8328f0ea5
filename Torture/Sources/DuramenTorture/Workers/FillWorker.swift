import Duramen
import DuramenTestKit

/// Saves transfers until the disk is full, reads then, waits for a line, and saves on.
///
///     full ACTION CODE         an error ended the first part
///     readable ENTRIES         an audit on the full disk; or `unreadable TEXT`
///     waiting                  for the line
///     saved ENTRY ATTEMPT      as those of a bank worker
///     done                     five saves after the line, an audit, and closing went well
///
/// An error in the second part is `stuck TEXT`.
struct FillWorker {
    let arguments: WorkerArguments

    func run() throws {
        var container: PersistentContainer?
        do {
            let opened = try arguments.openBank()
            container = opened
            for _ in 1... { try transfer(opened) }
        } catch {
            let action = container == nil ? "open" : "save"
            let code = TypedError.code(of: error)
            Output.say("full \(action) \(code ?? TypedError.line(error))")
            if code == StoreError.Code.unknownOutcome.rawValue, let failed = container {
                // The documented remedy, which may need room too.
                try? failed.close()
                container = try? arguments.openBank()
            }
        }
        if let container {
            do {
                Output.say("readable \(try audit(container).lastEntry)")
            } catch {
                Output.say("unreadable \(TypedError.line(error))")
            }
        }
        Output.say("waiting")
        _ = readLine()
        do {
            let container = try container ?? arguments.openBank()
            for _ in 0..<5 { try transfer(container) }
            _ = try audit(container)
            try container.close()
            Output.say("done")
        } catch {
            Output.say("stuck \(TypedError.line(error))")
        }
    }

    private func transfer(_ container: PersistentContainer) throws {
        try container.newBackgroundContext().performAndWait { context in
            let bank = Bank(context: context)
            if try !bank.isFounded() {
                try bank.found()
                Output.say("founded")
            }
            let entry = try bank.lastEntry() + 1
            var random = SplitMix64(seed: UInt64(entry))
            let note = String(repeating: "n", count: 3_000)
            try bank.transfer(entry: entry, attempt: entry, note: note, random: &random)
            Output.say("saved \(entry) \(entry)")
        }
    }

    private func audit(_ container: PersistentContainer) throws -> Audit {
        try container.newBackgroundContext().performAndWait { try Bank(context: $0).audit() }
    }
}
