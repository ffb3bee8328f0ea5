/// What holds or not at a place between two scalars.
enum RegularExpressionAssertion: Sendable {
    /// `\A`, and `^` but for the flag m.
    case textStart
    /// `^` with the flag m.
    case lineStart
    /// `\z`.
    case textEnd
    /// `\Z`, and `$` but for the flag m.
    case finalEnd
    /// `$` with the flag m.
    case lineEnd
    case wordBoundary
    case noWordBoundary
    /// After a CR that is not followed by its LF.
    case noLineFeedNext
}

/// What was read before a place, as far as assertions ask.
struct RegularExpressionContext: Sendable, Hashable {
    private var isStart = true
    private var followsTerminator = false
    private var followsReturn = false
    private var followsWord = false

    mutating func read(_ scalar: Unicode.Scalar) {
        isStart = false
        followsTerminator = scalar.isLineTerminator
        followsReturn = scalar == "\r"
        // ICU (rematch.cpp, isWordBoundary): combining marks belong to what they follow.
        if !scalar.isCombining { followsWord = scalar.isWord }
    }

    /// Whether an assertion holds before `next`, nil at the end.
    func satisfies(
        _ assertion: RegularExpressionAssertion, before next: Unicode.Scalar?,
        isFinalTerminator: Bool
    ) -> Bool {
        switch assertion {
        case .textStart: isStart
        // ICU: no line begins at the end of the text; one begins between CR and LF.
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
