/// What a bank worker said until it ended.
struct BankRun {
    /// Whether the accounts were acknowledged.
    var isFounded = false
    /// The number of the newest entry that was acknowledged; 0 for none.
    var savedEntry = 0
    var savedAttempts: Set<Int> = []
    /// Saves that failed, so that nothing of them may be there.
    var refusedAttempts: Set<Int> = []
    /// Saves of which nobody knows.
    var unknownAttempts: Set<Int> = []
    /// The attempt that was begun and not answered; nil for none.
    var openAttempt: Int?
    /// How often each code was given.
    var codes: [String: Int] = [:]
    /// Errors without a type.
    var wrong: [String] = []
    var isDone = false

    /// Takes a line of the worker.
    mutating func note(_ line: String) {
        let words = line.split(separator: " ").map(String.init)
        func number(_ place: Int) -> Int { words.count > place ? Int(words[place]) ?? 0 : 0 }
        switch words.first {
        case "founded": isFounded = true
        case "begin": openAttempt = number(2)
        case "saved":
            savedEntry = max(savedEntry, number(1))
            savedAttempts.insert(number(2))
            openAttempt = nil
        case "refused":
            refusedAttempts.insert(number(1))
            codes[words.last ?? "", default: 0] += 1
            openAttempt = nil
        case "unknown":
            unknownAttempts.insert(number(1))
            codes[words.last ?? "", default: 0] += 1
            openAttempt = nil
        case "failed": codes[words.last ?? "", default: 0] += 1
        case "wrong": wrong.append(line)
        case "done": isDone = true
        default: break
        }
    }

    /// Why what an audit found does not follow from what the worker said; nil when it does.
    func contradiction(to answer: AuditAnswer) -> String? {
        guard case .sound(let entries, let attempts, _) = answer else { return "\(answer)" }
        if isFounded, entries < 0 { return "the acknowledged accounts are gone" }
        let lost = savedAttempts.subtracting(attempts)
        if !lost.isEmpty {
            return "\(lost.count) acknowledged saves are gone, of \(savedAttempts.count)"
        }
        let ghosts = refusedAttempts.intersection(attempts)
        if !ghosts.isEmpty { return "\(ghosts.count) saves that failed are in the journal" }
        return nil
    }
}
