/// The steps that the server has not answered yet, the next first.
struct StepQueue {
    /// A step that the server answers.
    enum Step {
        /// The preparation of a statement.
        case prepare(Statement, item: Int?)
        /// A statement; nil if nobody waits for its result.
        case statement(item: Int?)
        /// A sync.
        case sync
    }

    private var steps: [Step] = []
    private var head = 0

    /// Whether the server has answered everything.
    var isEmpty: Bool { head == steps.count }

    /// The next step.
    var first: Step? { isEmpty ? nil : steps[head] }

    /// Adds a step at the end.
    mutating func append(_ step: Step) { steps.append(step) }

    /// Takes the next step away.
    mutating func removeFirst() {
        // Removing from the front of the array would take a time that grows with its square.
        head += 1
        if head >= steps.count { removeAll() }
    }

    /// Lets nobody wait for the results.
    mutating func abandon() {
        for place in head..<steps.count {
            switch steps[place] {
            case .prepare(let statement, _): steps[place] = .prepare(statement, item: nil)
            case .statement: steps[place] = .statement(item: nil)
            case .sync: break
            }
        }
    }

    /// Forgets all.
    mutating func removeAll() {
        steps.removeAll(keepingCapacity: true)
        head = 0
    }
}
