/// A table of the states of a small program's threads on ASCII text, which is made once.
///
/// Threads continue from the last state of the table, before a scalar beyond ASCII or when the
/// table has no room for more states.
struct RegularExpressionAutomaton: Sendable {
    enum Outcome {
        case matches(Bool)
        /// The table ends in a state, before the byte at an index.
        case leaves(RegularExpressionProgram.State, Int)
    }

    // A pattern may be compiled for a single text, so making the table must be cheap. This many
    // visits of instructions take less than a millisecond.
    private static let budget = 100_000
    private static let unknown = UInt16.max
    /// The state without threads.
    private static let failed = UInt16.max - 1

    /// The kind of each byte; instructions treat all bytes of a kind alike.
    private var kinds = [UInt8](repeating: 0, count: 128)
    private var kindCount = 0
    private var states: [RegularExpressionProgram.State] = [.initial]
    private var accepting: [Bool] = []
    /// `next[state * kindCount + kind]`.
    private var next: [UInt16] = []

    init?(_ program: RegularExpressionProgram) {
        guard program.instructions.count <= 500 else { return nil }
        let examples = partition(program)
        var indices = [states[0]: UInt16(0)]
        var cost = 0
        RegularExpressionThreads.with(program) { threads in
            while accepting.count < states.count {
                let state = states[accepting.count]
                threads.start(state.threads)
                threads.advance(over: nil, state.context)
                accepting.append(threads.accepts)
                for example in examples {
                    cost += program.instructions.count
                    guard cost <= Self.budget else {
                        next.append(Self.unknown)
                        continue
                    }
                    threads.start(state.threads)
                    threads.advance(over: example, state.context)
                    var successor = state
                    successor.threads = threads.places.sorted()
                    if program.asksForContext { successor.context.read(example) }
                    next.append(index(of: successor, &indices))
                }
            }
        }
    }

    private mutating func index(
        of state: RegularExpressionProgram.State,
        _ indices: inout [RegularExpressionProgram.State: UInt16]
    ) -> UInt16 {
        if state.threads.isEmpty { return Self.failed }
        if let index = indices[state] { return index }
        // The budget allows fewer than 50 000 states, since every program has at least two
        // instructions.
        let index = UInt16(truncatingIfNeeded: states.count)
        indices[state] = index
        states.append(state)
        return index
    }

    /// Groups the ASCII bytes that all instructions treat alike; returns one byte of each kind.
    private mutating func partition(_ program: RegularExpressionProgram) -> [Unicode.Scalar] {
        var examples: [Unicode.Scalar] = []
        var known: [[Bool]: UInt8] = [:]
        for byte in UInt8(0)..<128 {
            let scalar = Unicode.Scalar(byte)
            var answers: [Bool] = []
            for instruction in program.instructions {
                switch instruction {
                case .scalar(let other): answers.append(scalar == other)
                case .member(let index): answers.append(program.classes[index].contains(scalar))
                default: break
                }
            }
            if program.asksForContext {
                answers += [
                    scalar.isWord, scalar.isLineTerminator, scalar == "\r", scalar == "\n",
                ]
            }
            if known[answers] == nil {
                known[answers] = UInt8(examples.count)
                examples.append(scalar)
            }
            kinds[Int(byte)] = known[answers] ?? 0
        }
        kindCount = examples.count
        return examples
    }

    /// Runs the table on a text as far as possible.
    func run(_ utf8: UnsafeRawBufferPointer) -> Outcome {
        var state = 0
        for place in utf8.indices {
            let byte = Int(utf8[place])
            guard byte < 0x80 else { return .leaves(states[state], place) }
            let successor = next[state * kindCount + Int(kinds[byte])]
            if successor == Self.failed { return .matches(false) }
            if successor == Self.unknown { return .leaves(states[state], place) }
            state = Int(successor)
        }
        return .matches(accepting[state])
    }
}
