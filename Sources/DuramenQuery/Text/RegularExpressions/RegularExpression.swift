/// A compiled regular expression, which a whole text matches or not.
///
/// The syntax and its meaning are ICU's (ICU User Guide, Regular Expressions), as far as they can
/// be matched without going back in the text: time is at most proportional to the text's length
/// times the pattern's size, whatever the two are, and what would need more is an error.
///
/// - Literals; `.` (any scalar but a line terminator); `a|b`; groups `(…)`, `(?:…)`, `(?<name>…)`,
///   none of which captures; comments `(?#…)`.
/// - `*`, `+`, `?`, `{n}`, `{n,}`, `{n,m}`, each also lazy (`*?`), which makes no difference to
///   whether the whole text matches. A bound is at most 1000.
/// - `[…]` with ranges, `[^…]`, classes in classes, `&&` and `--`, and after a class in a class
///   also `&[…]` and `-[…]`; POSIX classes such as `[[:alpha:]]`.
/// - `\d` is `\p{Nd}`; `\w` is `[\p{Alphabetic}\p{M}\p{Nd}\p{Pc}\u200c\u200d]`; `\s` is
///   `\p{White_Space}`; `\h` is `[\t\p{Zs}]`; `\v` is a line terminator; `\D \W \S \H \V` are all
///   others; `\R` is a line terminator or CR LF. Line terminators are U+000A to U+000D, U+0085,
///   U+2028, U+2029.
/// - `\p{…}` and `\P{…}` with a general category, or with a binary property of
///   `Unicode.Scalar.Properties`, by their short or long Unicode names.
/// - `\t \n \r \f \a \e \cX \0ooo \xhh \x{h…} \uhhhh \Uhhhhhhhh`, `\Q…\E`, and a backslash before
///   whatever is not an ASCII letter or digit.
/// - `^ $ \A \z \Z \b \B`. `$` and `\Z` also stand before a line terminator that ends the text.
/// - The flags `i` (case), `m` (`^` and `$` at lines), `s` (`.` is any scalar, or CR LF) and `x`
///   (white space and `#` comments in the pattern), as `(?i)`, `(?-i)`, `(?i:…)`.
///
/// Refused are back references, lookahead and lookbehind, atomic groups and possessive repetition,
/// conditions, recursion, `\X`, `\G`, `\N{…}`, scripts and blocks, the flags `d`, `u` and `w`, and
/// letters and digits after a backslash that mean nothing, where ICU reads them as themselves.
///
/// **Options.** With ``PredicateComparison/Options/caseInsensitive`` or `diacriticInsensitive` the
/// text is folded (see ``TextFolding``), and what the pattern spells out is folded too: a literal
/// matches what it folds to, and a class matches the scalars that one of its members folds to; so
/// `[A-Z]` with `[c]` matches "a" and "É" with `[cd]` matches "e". With `[c]`, `\p{…}` holds for a
/// scalar when it holds for one that differs only in case. Other escapes keep their meaning: `\W`
/// is `\W`, and looks at the folded text. With `[d]` the text is decomposed, so `.` matches one
/// scalar of that. What folds to several scalars, as a Hangul syllable does with `[d]`, cannot be
/// in a class, and matches none as part of a range. `(?-i)` is refused with `[c]`, as the text has
/// lost its case.
///
/// **The flag i** disregards case one scalar at a time, by simple case mappings: "ß" does not match
/// "ss".
public struct RegularExpression: Sendable {
    private let compiled: Compiled
    private let options: PredicateComparison.Options

    /// Compiles a pattern.
    ///
    /// - Throws: ``RegularExpressionError``: `.invalidPattern`, `.unsupportedPattern`, or
    ///   `.patternTooComplex` for one of more than 64 KiB, 128 levels or 20 000 instructions.
    /// - Complexity: linear in the pattern with its counted repetitions written out. In a process,
    ///   the first flag i costs some 10 ms more, and so the first range of over 128 scalars under
    ///   options some 50 ms, for tables of all Unicode.
    public init(
        _ pattern: String, options: PredicateComparison.Options = []
    ) throws(RegularExpressionError) {
        self.options = options.intersection([.caseInsensitive, .diacriticInsensitive])
        var parser = try RegularExpressionParser(pattern, self.options)
        compiled = Compiled(try RegularExpressionProgram(parser.pattern()))
    }

    /// Whether the whole text matches, folded by the options.
    ///
    /// - Complexity: O(*text* × *pattern*); usually one table look-up for each byte of ASCII.
    public func matches(_ text: String) -> Bool {
        var text = text
        return text.withUTF8 { bytes in
            TextFolding.withFolded(UnsafeRawBufferPointer(bytes), options) { matches($0) }
        }
    }

    /// Whether a whole text matches that is folded already by the same options.
    ///
    /// Each malformed sequence of bytes is read as U+FFFD. Nothing is allocated for programs of up
    /// to about sixty instructions.
    package func matches(_ utf8: UnsafeRawBufferPointer) -> Bool {
        compiled.matches(utf8)
    }
}

extension RegularExpression {
    // One reference, not ten arrays: counting those at each copy took as long as the match.
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
