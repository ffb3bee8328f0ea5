/// A parsed pattern.
indirect enum RegularExpressionNode: Sendable {
    case scalar(Unicode.Scalar)
    case characterClass(CharacterClass)
    case assertion(RegularExpressionAssertion)
    case sequence([RegularExpressionNode])
    case alternatives([RegularExpressionNode])
    case repetition(RegularExpressionNode, atLeast: Int, atMost: Int?)

    /// Returns a node for one scalar of a class.
    static func member(of node: CharacterClass.Node) -> RegularExpressionNode {
        .characterClass(CharacterClass(node))
    }

    /// Returns a node for one scalar of a class, or CR LF; CR of CR LF cannot match alone.
    static func member(orLineBreak node: CharacterClass.Node) -> RegularExpressionNode {
        let noReturn = CharacterClass.Node.steps([
            .init(.union, node), .init(.difference, .ranges(ScalarRanges([0x0D...0x0D]))),
        ])
        return .alternatives([
            .member(of: noReturn), .sequence([.scalar("\r"), .scalar("\n")]),
            .sequence([.scalar("\r"), .assertion(.noLineFeedNext)]),
        ])
    }
}
