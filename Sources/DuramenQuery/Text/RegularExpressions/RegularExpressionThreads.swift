/// The threads of a program on one text. All threads are at different instructions, so a step costs
/// at most the program's size.
struct RegularExpressionThreads {
    private let program: RegularExpressionProgram
    // Quarters of the scratch memory, each with a place for every instruction. Writes stay within
    // them. An instruction is visited, and so put into one of the first three, at most once in a
    // step, since the visit marks it. Indices never exceed that of the last one, `accept`.
    private var current: UnsafeMutableBufferPointer<UInt32>
    private var following: UnsafeMutableBufferPointer<UInt32>
    private let stack: UnsafeMutableBufferPointer<UInt32>
    private let marks: UnsafeMutableBufferPointer<UInt32>
    private(set) var count = 0
    private var stackCount = 0
    private var step: UInt32 = 0
    private(set) var accepts = false

    /// Calls `body` with threads for a program.
    static func with<R>(
        _ program: RegularExpressionProgram, _ body: (inout RegularExpressionThreads) -> R
    ) -> R {
        // Sound: `body` uses the memory during its call only, and all of it is initialized.
        withUnsafeTemporaryAllocation(of: UInt32.self, capacity: 4 * program.instructions.count) {
            $0.initialize(repeating: 0)
            var threads = RegularExpressionThreads(program, $0)
            return body(&threads)
        }
    }

    private init(
        _ program: RegularExpressionProgram, _ memory: UnsafeMutableBufferPointer<UInt32>
    ) {
        self.program = program
        let size = program.instructions.count
        func quarter(_ index: Int) -> UnsafeMutableBufferPointer<UInt32> {
            // Sound: the memory has four times `size` places.
            UnsafeMutableBufferPointer(rebasing: memory[(index * size)..<((index + 1) * size)])
        }
        current = quarter(0)
        following = quarter(1)
        stack = quarter(2)
        marks = quarter(3)
    }

    /// Returns whether the rest of a text from `place` on matches the program from a state on.
    static func run(
        _ program: RegularExpressionProgram, _ text: RegularExpressionText, from place: Int,
        in state: RegularExpressionProgram.State
    ) -> Bool {
        with(program) { threads in
            threads.start(state.threads)
            var context = state.context
            var place = place
            while place < text.utf8.count, threads.count > 0 {
                let isFinal = place == text.finalTerminator
                let next = text.scalar(at: &place)
                threads.advance(over: next, context, isFinalTerminator: isFinal)
                if program.asksForContext { context.read(next) }
            }
            threads.advance(over: nil, context)
            return threads.accepts
        }
    }

    /// The instructions of the threads.
    var places: UnsafeMutableBufferPointer<UInt32>.SubSequence { current[..<count] }

    /// Starts threads at instructions.
    mutating func start(_ places: [UInt32]) {
        for (index, place) in places.enumerated() { current[index] = place }
        count = places.count
    }

    /// Advances all threads over one scalar, or without a scalar at the end of the text. Threads
    /// that cannot advance end.
    mutating func advance(
        over next: Unicode.Scalar?, _ context: RegularExpressionContext,
        isFinalTerminator: Bool = false
    ) {
        beginStep()
        // Held once for the step; through the program, each visit would retain both.
        let (instructions, classes) = (program.instructions, program.classes)
        var followingCount = 0
        for index in 0..<count {
            push(Int(current[index]))
            while stackCount > 0 {
                stackCount -= 1
                let place = Int(stack[stackCount])
                var isMember = false
                switch instructions[place] {
                case .scalar(let scalar): isMember = scalar == next
                case .member(let index):
                    if let next { isMember = classes[index].contains(next) }
                case .fork(let other):
                    push(other)
                    push(place + 1)
                case .jump(let other): push(other)
                case .assertion(let assertion):
                    if context.satisfies(
                        assertion, before: next, isFinalTerminator: isFinalTerminator)
                    {
                        push(place + 1)
                    }
                case .accept: accepts = true
                }
                if isMember {
                    following[followingCount] = UInt32(truncatingIfNeeded: place + 1)
                    followingCount += 1
                }
            }
        }
        swap(&current, &following)
        count = followingCount
    }

    private mutating func beginStep() {
        accepts = false
        if step == .max {
            marks.update(repeating: 0)
            step = 0
        }
        step += 1
    }

    private mutating func push(_ place: Int) {
        if marks[place] == step { return }
        marks[place] = step
        stack[stackCount] = UInt32(truncatingIfNeeded: place)
        stackCount += 1
    }
}
