import DuramenModel
import Foundation

/// The localized order of text, by keys: the order of texts is the order of the bytes of their
/// keys.
///
/// It does not depend on a language, so that it is equal on every machine and in every index. It is
/// the order of CLDR's root (unicode.org/reports/tr35/tr35-collation.html) for Latin, Greek and
/// Cyrillic letters and the usual signs. Texts are decomposed for compatibility (NFKD), and then
/// compared
///
/// 1. by letters: white space, punctuation, signs, currencies, digits, and letters by alphabet.
///    Characters that are not in an alphabet of ``TextAlphabet`` follow by scalar. Format and
///    control characters are ignored.
/// 2. by marks: "cote", "coté", "côte", "côté"; not with
///    ``PredicateComparison/Options/diacriticInsensitive``,
/// 3. by case: lower case first; not with ``PredicateComparison/Options/caseInsensitive``.
///
/// With ``PredicateComparison/Options/numeric``, a run of digits is a number: "a 9" comes before "a
/// 10".
struct TextOrder {
    // Bytes of keys are UTF-8 scalars above these two values, which end a level and mark a plain
    // letter.
    private static let levelEnd: UInt8 = 1
    private static let plain: UInt8 = 2
    private static let marked: UInt8 = 3
    private static let other: UInt8 = 3
    private static let upper: UInt8 = 4

    private let readsNumbers: Bool
    private var letters: [UInt8] = []
    private var marks: [UInt8] = []
    private var cases: [UInt8] = []
    /// The digits of an unfinished run, without leading zeros; nil outside of a run.
    private var number: [UInt8]?

    /// Returns the key of a text.
    ///
    /// - Complexity: O(*n*).
    static func key(
        of utf8: UnsafeRawBufferPointer, _ options: PredicateComparison.Options
    ) -> [UInt8] {
        var order = TextOrder(readsNumbers: options.contains(.numeric))
        if TextFolding.isASCII(utf8) {
            for byte in utf8 { order.add(ascii: byte) }
        } else {
            TextFolding.forEachPiece(of: String(decoding: utf8, as: UTF8.self)) { piece in
                order.add(piece: piece)
            }
        }
        return order.key(options)
    }

    private init(readsNumbers: Bool) { self.readsNumbers = readsNumbers }

    private mutating func add(ascii byte: UInt8) {
        if byte &- TextAlphabet.zero < 10 { return add(digit: byte - TextAlphabet.zero) }
        let isUpper = byte &- 65 < 26
        let weight = TextAlphabet.ascii[Int(isUpper ? byte | 0x20 : byte)]
        if weight.0 == 0 { return }
        endNumber()
        letters.append(weight.0)
        if weight.1 != 0 { letters.append(weight.1) }
        marks.append(Self.plain)
        cases.append(isUpper ? Self.upper : Self.plain)
    }

    private mutating func add(piece: String) {
        var rest = piece.unicodeScalars[...]
        // A fraction or a superscript digit does not belong to the number before it, although it
        // decomposes to digits.
        while readsNumbers, let place = rest.firstIndex(where: TextAlphabet.isNumberByItself) {
            let after = rest.index(after: place)
            add(decomposed: rest[..<place])
            endNumber()
            add(decomposed: rest[place..<after])
            endNumber()
            rest = rest[after...]
        }
        add(decomposed: rest)
    }

    private mutating func add(decomposed part: Substring.UnicodeScalarView) {
        let text = String(String.UnicodeScalarView(part)).decomposedStringWithCompatibilityMapping
        var scalars = text.unicodeScalars[...]
        while let scalar = scalars.popFirst() {
            // The only letter with a mark that has a separate weight.
            if scalar == "\u{438}" || scalar == "\u{418}", scalars.first == "\u{306}" {
                scalars.removeFirst()
                endNumber()
                add(letter: "\u{439}", isUpper: scalar == "\u{418}")
            } else {
                add(scalar)
            }
        }
    }

    private mutating func add(_ scalar: Unicode.Scalar) {
        if scalar.isASCII { return add(ascii: UInt8(truncatingIfNeeded: scalar.value)) }
        if let digit = TextAlphabet.digit(scalar) { return add(digit: digit) }
        let category = scalar.properties.generalCategory
        if category == .control || category == .format { return }
        endNumber()
        switch category {
        case .nonspacingMark, .enclosingMark:
            marks.append(Self.marked)
            marks.append(contentsOf: TextAlphabet.weight(ofMark: scalar))
        case .uppercaseLetter, .titlecaseLetter:
            for lowered in scalar.properties.lowercaseMapping.unicodeScalars {
                add(letter: lowered, isUpper: true)
            }
        default: add(letter: scalar, isUpper: false)
        }
    }

    private mutating func add(letter: Unicode.Scalar, isUpper: Bool) {
        let (letter, isOther) = TextAlphabet.base(letter)
        guard let parts = TextAlphabet.joined[letter] else {
            letters.append(contentsOf: TextAlphabet.weight(of: letter))
            marks.append(Self.plain)
            cases.append(isUpper ? Self.upper : isOther ? Self.other : Self.plain)
            return
        }
        for (place, part) in parts.letters.unicodeScalars.enumerated() {
            letters.append(contentsOf: TextAlphabet.weight(of: part))
            marks.append(Self.plain)
            if place == 0 { marks.append(contentsOf: [Self.marked, parts.mark]) }
            cases.append(isUpper ? Self.upper : Self.plain)
        }
    }

    private mutating func addPlain() {
        marks.append(Self.plain)
        cases.append(Self.plain)
    }

    private mutating func add(digit: UInt8) {
        if !readsNumbers {
            letters.append(TextAlphabet.zero + digit)
            addPlain()
        } else if number == nil {
            number = digit == 0 ? [] : [digit]
        } else if digit != 0 || number?.isEmpty == false {
            number?.append(digit)
        }
    }

    /// Ends a run of digits. A longer number is a larger number.
    private mutating func endNumber() {
        guard let digits = number else { return }
        number = nil
        letters.append(TextAlphabet.zero)
        var count = digits.count
        while count > 0x70 {
            letters.append(0x7F)
            count -= 0x70
        }
        letters.append(Self.marked + UInt8(count))
        letters.append(contentsOf: digits.map { TextAlphabet.zero + $0 })
        addPlain()
    }

    private mutating func key(_ options: PredicateComparison.Options) -> [UInt8] {
        endNumber()
        var key = letters
        for (level, option) in [
            (marks, PredicateComparison.Options.diacriticInsensitive), (cases, .caseInsensitive),
        ] {
            key.append(Self.levelEnd)
            if options.contains(option) { continue }
            let end = level.lastIndex { $0 != Self.plain }
            key.append(contentsOf: level[...(end ?? -1)])
        }
        while key.last == Self.levelEnd { key.removeLast() }
        return key
    }
}
