/// A compiled regular expression, which can be matched with whole texts.
///
/// The syntax and its meaning are ICU's (ICU User Guide, Regular Expressions), without the parts
/// that need backtracking. Time is at most proportional to the text's length times the pattern's
/// size. Patterns that would need more are errors.
///
/// - Literals; `.` (any scalar except a line terminator); `a|b`; groups `(…)`, `(?:…)`,
///   `(?<name>…)`, which do not capture; comments `(?#…)`.
/// - `*`, `+`, `?`, `{n}`, `{n,}`, `{n,m}`, each also lazy (`*?`), which makes no difference when
///   the whole text must match. A bound is at most 1000.
/// - `[…]` with ranges, `[^…]`, nested classes, `&&` and `--`. After a nested class also `&[…]` and
///   `-[…]`. POSIX classes such as `[[:alpha:]]`.
/// - `\d` is `\p{Nd}`. `\w` is `[\p{Alphabetic}\p{M}\p{Nd}\p{Pc}\u200c\u200d]`. `\s` is
///   `\p{White_Space}`. `\h` is `[\t\p{Zs}]`. `\v` is a line terminator. `\D \W \S \H \V` are all
///   others. `\R` is a line terminator or CR LF. Line terminators are U+000A to U+000D, U+0085,
///   U+2028, U+2029.
/// - `\p{…}` and `\P{…}` with a general category, or with a binary property of
///   `Unicode.Scalar.Properties`, by their short or long Unicode names.
/// - `\t \n \r \f \a \e \cX \0ooo \xhh \x{h…} \uhhhh \Uhhhhhhhh`, `\Q…\E`, and a backslash before
///   any scalar except ASCII letters and digits.
/// - `^ $ \A \z \Z \b \B`. `$` and `\Z` also match before a line terminator that ends the text.
/// - Flags, as `(?i)`, `(?-i)` or `(?i:…)`: `i` (case), `m` (`^` and `$` at lines), `s` (`.` is any
///   scalar, or CR LF). With `x`, the pattern may have white space and `#` comments.
///
/// Not supported are back references, lookahead and lookbehind, atomic groups and possessive
/// repetition, conditions, recursion, `\X`, `\G`, `\N{…}`, scripts and blocks. The flags `d`, `u`
/// and `w` are not supported either. Letters and digits after a backslash without a meaning are
/// errors, whereas ICU treats them as literals.
///
/// **Options.** With ``PredicateComparison/Options/caseInsensitive`` or `diacriticInsensitive` the
/// text is folded (see ``TextFolding``), and so are the literals and classes of the pattern. A
/// literal matches its folded form, and a class matches the folded forms of its members. So `[A-Z]`
/// with `[c]` matches "a", and "É" with `[cd]` matches "e". With `[c]`, `\p{…}` matches a scalar if
/// it matches one that differs only in case. Other escapes keep their meaning and are applied to
/// the folded text. With `[d]` the text is decomposed, so `.` matches one scalar of the decomposed
/// text. A scalar that folds to several scalars, such as a Hangul syllable with `[d]`, cannot be in
/// a class. As part of a range it matches nothing. `(?-i)` with `[c]` is an error, since the text
/// has lost its case.
///
/// **The flag i** ignores case one scalar at a time, by simple case mappings: "ß" does not match
/// "ss".
public struct RegularExpression: Sendable {
    private let compiled: Compiled
    private let options: PredicateComparison.Options

    /// Compiles a pattern.
    ///
    /// - Parameters:
    ///   - pattern: The pattern.
    ///   - options: The options for comparing text.
    /// - Throws: ``RegularExpressionError``: `.invalidPattern`, `.unsupportedPattern`, or
    ///   `.patternTooComplex` for a pattern of more than 64 KiB, 128 levels or 20 000 instructions.
    /// - Complexity: Linear in the pattern with its counted repetitions expanded. The first flag i
    ///   in a process costs about 10 ms more. The first range of over 128 scalars under options
    ///   costs about 50 ms, for tables of all Unicode.
    public init(
        _ pattern: String, options: PredicateComparison.Options = []
    ) throws(RegularExpressionError) {
        self.options = options.intersection([.caseInsensitive, .diacriticInsensitive])
        var parser = try RegularExpressionParser(pattern, self.options)
        compiled = Compiled(try RegularExpressionProgram(parser.pattern()))
    }

    /// Returns whether the whole text, folded by the options, matches.
    ///
    /// - Complexity: O(*text* × *pattern*); usually one table lookup for each byte of ASCII.
    public func matches(_ text: String) -> Bool {
        var text = text
        return text.withUTF8 { bytes in
            TextFolding.withFolded(UnsafeRawBufferPointer(bytes), options) { matches($0) }
        }
    }

    /// Returns whether a whole text matches that is already folded by the options.
    ///
    /// Each malformed sequence of bytes is treated as U+FFFD. Nothing is allocated for programs of
    /// up to about sixty instructions.
    package func matches(_ utf8: UnsafeRawBufferPointer) -> Bool {
        compiled.matches(utf8)
    }
}

extension RegularExpression {
    // One reference instead of ten arrays: counting their references at each copy took as long as
    // the match.
    private final class Compiled: Sendable {
        let program: RegularExpressionProgram
        let automaton: RegularExpressionAutomaton?

        init(_ program: RegularExpressionProgram) {
            self.program = program
            automaton = RegularExpressionAutomaton(program)
        }

        func matches(_ utf8: UnsafeRawBufferPointer) -> Bool {
            let text = RegularExpressionText(
                utf8, findsFinalTerminator: program.asksForFinalTerminator)
            guard let automaton, text.finalTerminator == nil else {
                return RegularExpressionThreads.run(program, text, from: 0, in: .initial)
            }
            switch automaton.run(utf8) {
            case .matches(let isMatch): return isMatch
            case .leaves(let state, let place):
                return RegularExpressionThreads.run(program, text, from: place, in: state)
            }
        }
    }
}
