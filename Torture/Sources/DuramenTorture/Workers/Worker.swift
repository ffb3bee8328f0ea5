#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// The workers by name.
enum Worker {
    /// Runs a worker; a mistake in its arguments ends the process with code 64.
    static func main(_ words: ArraySlice<String>) {
        let arguments = WorkerArguments(words.dropFirst())
        do {
            switch words.first {
            case "bank":
                var worker = try BankWorker(arguments)
                worker.run()
            case "audit": try AuditWorker(arguments).run()
            case "counters": try CounterWorker(arguments).run()
            default: throw TortureError("no worker is named '\(words.first ?? "")'")
            }
        } catch {
            Output.say("wrong start \(TypedError.line(error))")
            exit(64)
        }
    }
}
