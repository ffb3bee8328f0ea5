/// A set of scalars that a pattern describes.
struct CharacterClass: Sendable {
    indirect enum Node: Sendable {
        case ranges(ScalarRanges)
        case property(UnicodeProperty)
        case complement(Node)
        /// A sequence of operations, the first on the empty set.
        case steps([Step])

        /// Returns the steps, or the operand of a single union.
        static func result(of steps: [Step]) -> Node {
            steps.count == 1 && steps[0].operation == .union ? steps[0].operand : .steps(steps)
        }

        static let all = Node.complement(.steps([]))
        static let lineTerminators = Node.ranges(
            ScalarRanges([0x0A...0x0D, 0x85...0x85, 0x2028...0x2029]))
    }

    enum Operation: Sendable { case union, intersection, difference }

    struct Step: Sendable {
        let operation: Operation
        let operand: Node

        init(_ operation: Operation, _ operand: Node) {
            self.operation = operation
            self.operand = operand
        }
    }

    private let node: Node
    /// The maximum number of steps of a test, in instructions.
    let cost: Int
    // The ASCII members of the class: a bit for each scalar.
    private var low: UInt64 = 0
    private var high: UInt64 = 0

    init(_ node: Node) {
        self.node = node
        cost = node.count
        for byte in UInt8(0)..<128 where node.contains(Unicode.Scalar(byte)) {
            if byte < 64 { low |= 1 << UInt64(byte) } else { high |= 1 << UInt64(byte - 64) }
        }
    }

    func contains(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0..<64: low >> UInt64(scalar.value) & 1 != 0
        case 64..<128: high >> UInt64(scalar.value - 64) & 1 != 0
        default: node.contains(scalar)
        }
    }
}

extension CharacterClass.Node {
    fileprivate var count: Int {
        switch self {
        case .ranges, .property: 1
        case .complement(let node): 1 + node.count
        case .steps(let steps): steps.reduce(1) { $0 + $1.operand.count }
        }
    }

    fileprivate func contains(_ scalar: Unicode.Scalar) -> Bool {
        switch self {
        case .ranges(let ranges): return ranges.contains(scalar.value)
        case .property(let property): return property.holds(scalar)
        case .complement(let node): return !node.contains(scalar)
        case .steps(let steps):
            var isMember = false
            for step in steps {
                // Operands that cannot change the result are skipped.
                if isMember == (step.operation == .union) { continue }
                let isInOperand = step.operand.contains(scalar)
                isMember = step.operation == .difference ? !isInOperand : isInOperand
            }
            return isMember
        }
    }
}
