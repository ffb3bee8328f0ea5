import DuramenModel
import Foundation

extension StoredValue {
    // What LMDB's keys hold at most.
    private static let keyBytes = 511

    /// Whether this is a text or bytes longer than an engine's keys.
    var isLongerThanAKey: Bool {
        switch self {
        case .text(let text): text.string.utf8.count > Self.keyBytes
        case .binary(let data): data.count > Self.keyBytes
        default: false
        }
    }

    /// The beginning of a text that fits a key; anything else as it is.
    var beginningOfText: StoredValue {
        guard case .text(let text) = self else { return self }
        return .text(
            StoredText(String(decoding: text.string.utf8.prefix(Self.keyBytes), as: UTF8.self)))
    }

    /// The beginning of bytes that fits a key; anything else as it is.
    var beginningOfBytes: StoredValue {
        guard case .binary(let data) = self else { return self }
        return .binary(data.prefix(Self.keyBytes))
    }

    /// A text with its letters composed.
    var composed: StoredValue {
        guard case .text(let text) = self else { return self }
        return .text(StoredText(text.string.precomposedStringWithCanonicalMapping))
    }

    /// The text; empty for null and all else.
    var textOrEmpty: String {
        if case .text(let text) = self { text.string } else { "" }
    }
}
