import Foundation

/// The workers by name.
enum Worker {
    /// Runs a worker; an error that it does not expect ends the process with code 64.
    static func main(_ words: ArraySlice<String>) {
        let arguments = WorkerArguments(words.dropFirst())
        do {
            switch words.first {
            case "bank":
                var worker = try BankWorker(arguments)
                worker.run()
            case "audit": try AuditWorker(arguments).run()
            case "backup": try BackupWorker(arguments).run()
            case "counters": try CounterWorker(arguments).run()
            case "journal": try JournalWorker(arguments).run()
            case "lists": try ListWorker(arguments).run()
            case "append": try AppendWorker(arguments: arguments).run()
            case "maintain": try MaintainWorker(arguments: arguments).run()
            case "count": try CountWorker(arguments: arguments).run()
            case "hold": try HoldWorker(arguments: arguments).run()
            case "rewrite": try RewriteWorker(arguments: arguments).run()
            case "fill": try FillWorker(arguments: arguments).run()
            case "large": try LargeWorker(arguments: arguments).run()
            case "migrate": try MigrateWorker(arguments: arguments).run()
            case "packages": try PackagesWorker(arguments: arguments).run()
            default: throw TortureError("no worker is named '\(words.first ?? "")'")
            }
        } catch {
            Output.say("wrong worker \(TypedError.line(error))")
            exit(64)
        }
    }
}
