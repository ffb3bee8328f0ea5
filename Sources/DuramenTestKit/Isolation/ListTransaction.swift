/// A transaction on lists of numbers, as seen by its client: the input of an ``IsolationChecker``.
///
/// A transaction reads whole lists and appends numbers to them, each number once per list in a
/// history. So every list that is read identifies the transactions that wrote it, and their order.
public struct ListTransaction: Sendable, Hashable {
    /// A step of a transaction, in the transaction's own order.
    public enum Step: Sendable, Hashable {
        /// Reads a list, which includes the transaction's own numbers.
        case read(list: Int, [Int])
        /// Appends a number to a list.
        case append(list: Int, Int)
    }

    /// The outcome of a transaction.
    public enum Outcome: String, Sendable, Hashable {
        /// Its writes are permanent.
        case committed
        /// Its writes must never be visible.
        case aborted
        /// It counts as committed if one of its writes is visible.
        case unknown
    }

    /// The name of the transaction in messages.
    public var name: String
    /// The outcome of the transaction.
    public var outcome: Outcome
    /// The steps of the transaction.
    public var steps: [Step]

    /// Describes a transaction; the name has no spaces.
    public init(_ name: String, _ outcome: Outcome = .committed, _ steps: [Step] = []) {
        self.name = name
        self.outcome = outcome
        self.steps = steps
    }
}

extension ListTransaction: LosslessStringConvertible {
    /// One line, such as `a17 committed r3:5,8 a3:9`.
    public var description: String {
        let words = steps.map { step in
            switch step {
            case .read(let list, let numbers):
                "r\(list):" + numbers.map(String.init).joined(separator: ",")
            case .append(let list, let number): "a\(list):\(number)"
            }
        }
        return ([name, outcome.rawValue] + words).joined(separator: " ")
    }

    /// Parses a ``description``; nil for any other text.
    public init?(_ description: String) {
        let words = description.split(separator: " ")
        guard words.count >= 2, let outcome = Outcome(rawValue: String(words[1])) else {
            return nil
        }
        self.init(String(words[0]), outcome)
        for word in words.dropFirst(2) {
            guard let step = Step(word) else { return nil }
            steps.append(step)
        }
    }
}

extension ListTransaction.Step {
    fileprivate init?(_ word: Substring) {
        let parts = word.dropFirst().split(
            separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, let list = Int(parts[0]) else { return nil }
        let numbers = parts[1].split(separator: ",").map { Int($0) }
        let known = numbers.compactMap { $0 }
        guard known.count == numbers.count else { return nil }
        switch word.first {
        case "r": self = .read(list: list, known)
        case "a" where known.count == 1: self = .append(list: list, known[0])
        default: return nil
        }
    }
}
