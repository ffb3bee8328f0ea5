import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxMacros

extension FixIt {
    /// Replaces a node's own text and keeps the trivia around it.
    static func replace(_ node: some SyntaxProtocol, with text: String, _ message: String) -> FixIt
    {
        edit(
            node, node.positionAfterSkippingLeadingTrivia..<node.endPositionBeforeTrailingTrivia,
            text, message)
    }

    /// Removes a node and the space that follows it.
    static func remove(_ node: some SyntaxProtocol, _ message: String) -> FixIt {
        edit(node, node.positionAfterSkippingLeadingTrivia..<node.endPosition, "", message)
    }

    /// Removes a node and the preceding space, which belongs to the previous token.
    static func removeWithSpaceBefore(_ node: some SyntaxProtocol, _ message: String) -> FixIt {
        let before = node.previousToken(viewMode: .sourceAccurate)?.endPositionBeforeTrailingTrivia
        let start = before ?? node.positionAfterSkippingLeadingTrivia
        return edit(node, start..<node.endPositionBeforeTrailingTrivia, "", message)
    }

    /// Inserts text before a node's own text.
    static func insert(
        _ text: String, before node: some SyntaxProtocol, _ message: String
    ) -> FixIt {
        let start = node.positionAfterSkippingLeadingTrivia
        return edit(node, start..<start, text, message)
    }

    /// Inserts text right after a node's own text.
    static func insert(_ text: String, after node: some SyntaxProtocol, _ message: String) -> FixIt
    {
        let end = node.endPositionBeforeTrailingTrivia
        return edit(node, end..<end, text, message)
    }

    /// Joins the changes of several fix-its under a new message.
    static func all(_ fixIts: [FixIt], _ message: String) -> FixIt {
        FixIt(message: MacroExpansionFixItMessage(message), changes: fixIts.flatMap(\.changes))
    }

    private static func edit(
        _ node: some SyntaxProtocol, _ range: Range<AbsolutePosition>, _ text: String,
        _ message: String
    ) -> FixIt {
        FixIt(
            message: MacroExpansionFixItMessage(message),
            changes: [.replaceText(range: range, with: text, in: Syntax(node))])
    }
}
