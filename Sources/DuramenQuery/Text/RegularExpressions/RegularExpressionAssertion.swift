/// A condition on a position between two scalars.
enum RegularExpressionAssertion: Sendable {
    /// `\A`, and `^` without the flag m.
    case textStart
    /// `^` with the flag m.
    case lineStart
    /// `\z`.
    case textEnd
    /// `\Z`, and `$` without the flag m.
    case finalEnd
    /// `$` with the flag m.
    case lineEnd
    case wordBoundary
    case noWordBoundary
    /// After a CR without a following LF.
    case noLineFeedNext
}

/// The part of the text before a position that assertions depend on.
struct RegularExpressionContext: Sendable, Hashable {
    private var isStart = true
    private var followsTerminator = false
    private var followsReturn = false
    private var followsWord = false

    mutating func read(_ scalar: Unicode.Scalar) {
        isStart = false
        followsTerminator = scalar.isLineTerminator
        followsReturn = scalar == "\r"
        // ICU (rematch.cpp, isWordBoundary): combining marks belong to the scalar before them.
        if !scalar.isCombining { followsWord = scalar.isWord }
    }

    /// Returns whether an assertion holds before `next`, which is nil at the end.
    func satisfies(
        _ assertion: RegularExpressionAssertion, before next: Unicode.Scalar?,
        isFinalTerminator: Bool
    ) -> Bool {
        switch assertion {
        case .textStart: isStart
        // ICU: a line cannot begin at the end of the text, but can between CR and LF.
        case .lineStart: isStart || followsTerminator && next != nil
        case .textEnd: next == nil
        case .finalEnd: next == nil || isFinalTerminator
        case .lineEnd: endsLine(next)
        case .wordBoundary: isWordBoundary(next)
        case .noWordBoundary: !isWordBoundary(next)
        case .noLineFeedNext: next != "\n"
        }
    }

    private func endsLine(_ next: Unicode.Scalar?) -> Bool {
        guard let next else { return true }
        return next.isLineTerminator && !(next == "\n" && followsReturn)
    }

    private func isWordBoundary(_ next: Unicode.Scalar?) -> Bool {
        guard let next else { return followsWord }
        return !next.isCombining && next.isWord != followsWord
    }
}
