/// Texts that Apple's systems hold in a pointer.
///
/// Its archiver writes an object once for each pointer. So equal short texts are one object, while
/// equal longer ones are as many as there were strings. The rule is public knowledge about 64-bit
/// systems; the 127 archives at hand have 250 longer texts more than once, and no shorter one.
enum TaggedText {
    /// The characters of texts of up to 9 characters; the first 32 are those of up to 11.
    private static let alphabet = Array(
        "eilotrm.apdnsIc ufkMShjTRxgC4013bDNvwyUL2O856P-B79AFKEWV_zGJ/HYX".utf8)

    /// Whether equal texts share an object.
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
