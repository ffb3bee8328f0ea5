/// The weights of characters in ``TextOrder``. A weight is a piece of UTF-8 whose bytes order it.
///
/// The order is that of CLDR's root, as in ICU.
enum TextAlphabet {
    static let zero: UInt8 = 0x30

    private static let space: UInt8 = 0x0B
    private static let smallA: UInt8 = 0x40

    private static let punctuation =
        "_-\u{2011}\u{2012}–—―,;:!¡?¿.·'‹›\"«»()[]{}‖§¶@*/\\&#%‰‱†‡•‣′‵※‿"
    private static let signs = "`^°©®+±÷×<=>¬|¦~⁄"
    private static let currencies = "¤¢$£¥"

    /// The Latin letters that follow each ASCII letter with separate weights.
    private static let latin: [(Unicode.Scalar, String)] = [
        ("a", "ⱥ"), ("b", "ƀɓƃ"), ("c", "ȼƈ"), ("d", "ȸɖɗƌȡ"), ("e", "ɇǝəɛ"), ("f", "ƒ"),
        ("g", "ǥɠɣƣ"), ("h", "ƕ"), ("i", "ıɨɩ"), ("j", "ȷɉ"), ("k", "ƙ"), ("l", "ƚȴƛ"),
        ("n", "ɲƞȵŋ"), ("o", "ɔɵȣ"), ("p", "ƥ"), ("q", "ȹɋĸ"), ("r", "ʀɍ"), ("s", "ȿʃƪ"),
        ("t", "ƾŧⱦƫƭʈȶ"), ("u", "ʉɯʊ"), ("v", "ʋʌ"), ("y", "ɏƴȝ"),
        ("z", "ƍƶȥɀʒƹƺþƿƻƨƽƅɂ"),
    ]
    private static let greek = "αβγδεϝͷϛζͱηθιϳκλμνξοπϻϟρϼσͼͻͽτυφχψωϡͳϸϣϥϧϩϫϭϯ"
    private static let cyrillic =
        "аәӕбвгғӻҕӷдђҙеєжҗзѕӡиҋійјкқӄҡҟҝлӆљмӎнӊңӈҥњоөпҧҁрҏсҫтҭћуүұѹфхӽӿҳһѡѿѽѻцҵчҷӌҹҽҿ"
        + "џшщъыьҍѣэюяѥѧѫѩѭѯѱѳѵҩӏ"

    /// Characters with the weights of others, which differ as if by a mark.
    static let joined: [Unicode.Scalar: (letters: String, mark: UInt8)] = [
        "ø": ("o", stroke), "ł": ("l", stroke), "đ": ("d", stroke), "ħ": ("h", stroke),
        "ґ": ("г", stroke), "ð": ("d", joint), "æ": ("ae", joint), "œ": ("oe", joint),
        "ß": ("ss", joint),
        "‘": ("'", 0x79), "’": ("'", 0x7A), "‚": ("'", 0x7B), "‛": ("'", 0x7C),
        "“": ("\"", 0x79), "”": ("\"", 0x7A), "„": ("\"", 0x7B), "‟": ("\"", 0x7C),
    ]
    /// The weight, among the marks, of a stroke through a letter, which is not a separate mark.
    private static let stroke: UInt8 = 4 + 12
    /// A weight after all marks of ``markOrder``.
    private static let joint: UInt8 = 0x7E

    private static let markOrder =
        "\u{313}\u{314}\u{301}\u{300}\u{306}\u{302}\u{30C}\u{30A}\u{308}\u{30B}\u{303}\u{307}\u{338}"
        + "\u{327}\u{328}\u{304}\u{305}\u{309}\u{30F}\u{310}\u{311}\u{31B}\u{321}\u{322}\u{323}"
        + "\u{324}\u{325}\u{326}\u{32D}\u{32E}\u{330}\u{331}"

    private static let weights: [Unicode.Scalar: [UInt8]] = {
        var weights: [Unicode.Scalar: [UInt8]] = [" ": [space]]
        for (place, scalar) in "\t\n\u{B}\u{C}\r".unicodeScalars.enumerated() {
            weights[scalar] = [5 + UInt8(place)]
        }
        func place(_ text: String, behind lead: UInt8) {
            for (place, scalar) in text.unicodeScalars.enumerated() {
                // Every list has fewer characters than ASCII.
                weights[scalar] = [lead, 2 + UInt8(place)]
            }
        }
        place(punctuation, behind: 0x0C)
        place(signs, behind: 0x0E)
        place(currencies, behind: 0x10)
        for (place, letter) in "abcdefghijklmnopqrstuvwxyz".unicodeScalars.enumerated() {
            weights[letter] = [smallA + 2 * UInt8(place)]
        }
        for (letter, followers) in latin {
            place(followers, behind: (weights[letter]?.first ?? smallA) + 1)
        }
        place(greek, behind: 0x76)
        place(cyrillic, behind: 0x78)
        return weights
    }()

    /// The weights of the ASCII characters except capital letters, of one or two bytes; 0 for none.
    static let ascii: [(UInt8, UInt8)] = (0..<128).map { (value: UInt8) in
        let weight = weight(of: Unicode.Scalar(value))
        return (weight.first ?? 0, weight.count == 2 ? weight[1] : 0)
    }

    private static let marks: [Unicode.Scalar: [UInt8]] = Dictionary(
        uniqueKeysWithValues: markOrder.unicodeScalars.enumerated().map { ($1, [4 + UInt8($0)]) })

    /// Returns whether a character is a number that is not part of the digits before it, such as a
    /// half or a superscript 2.
    static func isNumberByItself(_ scalar: Unicode.Scalar) -> Bool {
        !scalar.isASCII && scalar.properties.generalCategory == .otherNumber
    }

    /// Returns the value of a digit beyond ASCII.
    static func digit(_ scalar: Unicode.Scalar) -> UInt8? {
        guard scalar.properties.numericType == .decimal else { return nil }
        return scalar.properties.numericValue.map { UInt8($0) }
    }

    /// Returns the weight of a character that is neither a mark nor a capital letter; empty for an
    /// ignored character.
    static func weight(of scalar: Unicode.Scalar) -> [UInt8] {
        if let weight = weights[scalar] { return weight }
        let bytes = Array(UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
        switch scalar.properties.generalCategory {
        case .control, .format: return []
        case .lineSeparator, .paragraphSeparator: return [0x0A]
        case .spaceSeparator: return [space]
        case .connectorPunctuation, .dashPunctuation, .openPunctuation, .closePunctuation,
            .initialPunctuation, .finalPunctuation, .otherPunctuation:
            return [0x0D] + bytes
        case .currencySymbol: return [0x11] + bytes
        case .mathSymbol, .modifierSymbol, .otherSymbol: return [0x0F] + bytes
        case .letterNumber, .otherNumber, .decimalNumber: return [zero + 10] + bytes
        default: break
        }
        return switch scalar.value {
        case ..<0x370, 0x1D00..<0x1F00, 0x2C60..<0x2C80, 0xA720..<0xA800: [0x75] + bytes
        case ..<0x400, 0x1F00..<0x2000: [0x77] + bytes
        case ..<0x530: [0x79] + bytes
        default: bytes
        }
    }

    static func weight(ofMark scalar: Unicode.Scalar) -> [UInt8] {
        marks[scalar] ?? Array(UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
    }

    /// Returns the base letter of a variant: a Hiragana letter for a Katakana letter, sigma for a
    /// final sigma.
    static func base(_ scalar: Unicode.Scalar) -> (Unicode.Scalar, isOther: Bool) {
        if scalar == "ς" { return ("σ", true) }
        guard (0x30A1...0x30F6).contains(scalar.value),
            let letter = Unicode.Scalar(scalar.value - 0x60)
        else { return (scalar, false) }
        return (letter, true)
    }
}
