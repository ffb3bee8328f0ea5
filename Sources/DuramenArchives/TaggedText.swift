/// The texts that Apple's systems keep in a pointer.
///
/// Apple's archiver writes an object once for each pointer. So equal short texts are one object,
/// while equal longer texts are as many objects as there were strings. The rule is public knowledge
/// about 64-bit systems. Our 127 sample archives repeat 250 longer texts, and none of the shorter
/// texts.
enum TaggedText {
    /// The characters of texts of up to 9 characters; the first 32 are also those of up to 11.
    private static let alphabet = Array(
        "eilotrm.apdnsIc ufkMShjTRxgC4013bDNvwyUL2O856P-B79AFKEWV_zGJ/HYX".utf8)

    /// Returns whether equal texts share one object.
    static func isShared(_ text: String) -> Bool {
        let bytes = text.utf8
        switch bytes.count {
        case 1...7: return bytes.allSatisfy { $0 < 128 }
        case 8...9: return bytes.allSatisfy(alphabet.contains)
        case 10...11: return bytes.allSatisfy(alphabet[..<32].contains)
        default: return false
        }
    }
}
