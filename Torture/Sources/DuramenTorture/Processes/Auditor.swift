import Duramen
import Foundation

/// What an audit answered.
enum AuditAnswer: CustomStringConvertible {
    /// The store is sound; entries is -1 for one without accounts.
    case sound(entries: Int, attempts: Set<Int>, openMicroseconds: Int)
    /// A typed error.
    case refused(String)
    /// An answer that cannot be true.
    case unsound(String)
    /// An error without a type that the library documents.
    case wrong(String)
    /// The process died, or hung.
    case died(ProcessEnd)

    var description: String {
        switch self {
        case .sound(let entries, _, _): "sound with \(entries) entries"
        case .refused(let code): "refused with \(code)"
        case .unsound(let text): "unsound: \(text)"
        case .wrong(let text): "an undocumented error: \(text)"
        case .died(let end): "the process that looked at it ended with \(end)"
        }
    }
}

/// A process without faults that audits stores; another one is started when it dies.
final class Auditor {
    /// No answer may take longer; see ``Stopped``.
    static let limit = Duration.seconds(12)

    private let programs: Programs
    private let kind: StoreKind
    private let durability: Durability
    private var process: ChildProcess?

    init(_ programs: Programs, _ kind: StoreKind, durability: Durability = .full) {
        self.programs = programs
        self.kind = kind
        self.durability = durability
    }

    /// Audits the store in a folder.
    ///
    /// - Parameter goesOn: Whether a save, another audit and the engine's own check must follow.
    func audit(_ folder: String, goesOn: Bool = true) throws -> AuditAnswer {
        let running: ChildProcess
        if let process {
            running = process
        } else {
            running = try programs.start(
                "audit", kind, ["durability=\(durability.rawValue)", "timeout-milliseconds=2000"])
            process = running
        }
        running.send("\(goesOn ? "go-on" : "look") \(folder)")
        let deadline = ContinuousClock.now + Self.limit
        guard
            let line = running.readLine(
                beginning: ["sound", "refused", "unsound", "wrong"], before: deadline)
        else {
            process = nil
            return .died(running.finish(before: deadline))
        }
        return Self.answer(line)
    }

    private static func answer(_ line: String) -> AuditAnswer {
        let words = line.split(separator: " ", maxSplits: 1).map(String.init)
        let rest = words.count > 1 ? words[1] : ""
        switch words[0] {
        case "sound":
            let numbers = rest.split(separator: " ")
            guard numbers.count == 3, let entries = Int(numbers[0]), let time = Int(numbers[2])
            else { return .wrong("the audit said '\(line)'") }
            return .sound(
                entries: entries,
                attempts: Set(numbers[1].split(separator: ",").compactMap { Int($0) }),
                openMicroseconds: time)
        case "refused": return .refused(rest)
        case "unsound": return .unsound(rest)
        default: return .wrong(rest)
        }
    }
}
