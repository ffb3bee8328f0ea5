/// A pattern as instructions for threads that process the text side by side (Thompson 1968; Pike's
/// machine without captures).
///
/// ```
/// a*b     0 fork 3    a|b   0 fork 3    a{2,3}   0 scalar a
///         1 scalar a        1 scalar a           1 scalar a
///         2 jump 0          2 jump 4             2 fork 4
///         3 scalar b        3 scalar b           3 scalar a
///         4 accept          4 accept             4 accept
/// ```
struct RegularExpressionProgram: Sendable {
    enum Instruction: Sendable {
        case scalar(Unicode.Scalar)
        /// One scalar of the class with this index.
        case member(Int)
        /// Continues with the next instruction and with another.
        case fork(Int)
        case jump(Int)
        case assertion(RegularExpressionAssertion)
        case accept
    }

    /// The instructions of the threads before a scalar, and the context of the scalars before it.
    struct State: Sendable, Hashable {
        /// Instructions, in ascending order when states are compared.
        var threads: [UInt32]
        var context: RegularExpressionContext

        static let initial = State(threads: [0], context: RegularExpressionContext())
    }

    private static let limit = 20_000

    private(set) var instructions: [Instruction] = []
    private(set) var classes: [CharacterClass] = []
    /// Whether assertions depend on the context before a position.
    private(set) var asksForContext = false
    /// Whether assertions depend on a line terminator that ends the text.
    private(set) var asksForFinalTerminator = false
    private var cost = 0

    init(_ node: RegularExpressionNode) throws(RegularExpressionError) {
        try append(node)
        instructions.append(.accept)
    }

    private mutating func emit(
        _ instruction: Instruction, cost added: Int = 1
    ) throws(RegularExpressionError) {
        cost += added
        guard cost <= Self.limit else {
            throw RegularExpressionError(
                .patternTooComplex, at: 0,
                "Written out, the pattern has more than \(Self.limit) parts. Repeat less in it.")
        }
        instructions.append(instruction)
    }

    private mutating func append(_ node: RegularExpressionNode) throws(RegularExpressionError) {
        switch node {
        case .scalar(let scalar): try emit(.scalar(scalar))
        case .characterClass(let characterClass):
            // The cost of testing the class counts; otherwise many large classes would exceed the
            // limit.
            try emit(.member(classes.count), cost: characterClass.cost)
            classes.append(characterClass)
        case .assertion(let assertion):
            try emit(.assertion(assertion))
            asksForContext = true
            if assertion == .finalEnd { asksForFinalTerminator = true }
        case .sequence(let nodes):
            for node in nodes { try append(node) }
        case .alternatives(let nodes): try append(alternatives: nodes)
        case .repetition(let node, let least, let most):
            try append(node, atLeast: least, atMost: most)
        }
    }

    private mutating func append(
        alternatives nodes: [RegularExpressionNode]
    ) throws(RegularExpressionError) {
        var jumps: [Int] = []
        for node in nodes.dropLast() {
            let fork = instructions.count
            try emit(.fork(0))
            try append(node)
            jumps.append(instructions.count)
            try emit(.jump(0))
            instructions[fork] = .fork(instructions.count)
        }
        if let last = nodes.last { try append(last) }
        for jump in jumps { instructions[jump] = .jump(instructions.count) }
    }

    private mutating func append(
        _ node: RegularExpressionNode, atLeast least: Int, atMost most: Int?
    ) throws(RegularExpressionError) {
        var last = instructions.count
        for _ in 0..<least {
            last = instructions.count
            try append(node)
            // The repeated part is empty. This also bounds nested repetitions of empty parts.
            if instructions.count == last { return }
        }
        guard let most else { return try appendLoop(node, least > 0 ? last : nil) }
        var forks: [Int] = []
        for _ in least..<max(most, least) {
            forks.append(instructions.count)
            try emit(.fork(0))
            try append(node)
        }
        for fork in forks { instructions[fork] = .fork(instructions.count) }
    }

    /// Repeats the instructions from `first` on, or, without it, `node` any number of times.
    private mutating func appendLoop(
        _ node: RegularExpressionNode, _ first: Int?
    ) throws(RegularExpressionError) {
        if let first { return try emit(.fork(first)) }
        let fork = instructions.count
        try emit(.fork(0))
        try append(node)
        try emit(.jump(fork))
        instructions[fork] = .fork(instructions.count)
    }
}
