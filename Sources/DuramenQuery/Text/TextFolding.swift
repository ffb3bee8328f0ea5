public import DuramenModel
import Foundation

/// Folds text without case or diacritical marks, in the one way that every store uses.
///
/// Two texts are equal under some options if their folded forms have equal bytes. Text is also
/// searched, matched and ordered by its folded form. The folded form is made in these steps:
/// 1. The bytes are decoded as UTF-8; each malformed sequence becomes U+FFFD.
/// 2. With ``PredicateComparison/Options/diacriticInsensitive``: the text is decomposed canonically
///    (Unicode's NFD), and all scalars of the general category Mn (nonspacing mark) are dropped.
/// 3. With ``PredicateComparison/Options/caseInsensitive``: each scalar is replaced by its full
///    lowercase mapping, independent of language and of its neighbours.
///
/// So "É" folds to "é" without case, to "E" without marks, to "e" without both. Folding case alone
/// does not decompose: a composed and a decomposed "é" stay different. The rules do not depend on a
/// language. "İ" without case is "i" with a dot above, "Σ" is always "σ" (and differs from "ς").
/// "ß" differs from "ss", and "ø" and "ł" are letters without marks. Folding twice changes nothing
/// more. The result depends only on the bytes, the options and the Unicode version of the Swift
/// runtime.
///
/// With ``PredicateComparison/Options/localeSensitive``, the folded form is the key of `TextOrder`
/// instead.
public enum TextFolding {
    /// Returns the folded form of UTF-8 bytes.
    ///
    /// - Complexity: O(*n*); ASCII text is folded without Unicode properties.
    public static func fold(
        _ utf8: UnsafeRawBufferPointer, _ options: PredicateComparison.Options
    ) -> StoredText {
        withFolded(utf8, options) { StoredText(utf8: $0) }
    }

    /// Returns the folded form of text.
    public static func fold(
        _ text: StoredText, _ options: PredicateComparison.Options
    ) -> StoredText {
        options.isEmpty ? text : text.withUTF8 { fold($0, options) }
    }

    /// Calls `body` with the folded bytes, which are valid only during the call.
    ///
    /// Strings are allocated only for malformed text and a few rare scalars. Without options,
    /// `body` gets the original bytes.
    @inlinable public static func withFolded<R>(
        _ utf8: UnsafeRawBufferPointer, _ options: PredicateComparison.Options,
        _ body: (UnsafeRawBufferPointer) -> R
    ) -> R {
        if options.isEmpty { return body(utf8) }
        var result: R?
        passFolded(utf8, options) { result = body($0) }
        guard let result else { preconditionFailure("Duramen: folded text was not passed on.") }
        return result
    }

    // Not generic: where the compiler does not specialize it, the runtime would look up the types
    // of temporary memory for each text, which takes longer than folding.
    @usableFromInline static func passFolded(
        _ utf8: UnsafeRawBufferPointer, _ options: PredicateComparison.Options,
        to body: (UnsafeRawBufferPointer) -> Void
    ) {
        if options.contains(.localeSensitive) {
            return TextOrder.key(of: utf8, options).withUnsafeBytes(body)
        }
        guard isASCII(utf8) else { return passFoldedScalars(utf8, options, to: body) }
        guard options.contains(.caseInsensitive) else { return body(utf8) }
        withUnsafeTemporaryAllocation(byteCount: utf8.count, alignment: 1) { lowered in
            for index in utf8.indices { lowered[index] = lowercased(utf8[index]) }
            body(UnsafeRawBufferPointer(lowered))
        }
    }

    private static func passFoldedScalars(
        _ utf8: UnsafeRawBufferPointer, _ options: PredicateComparison.Options,
        to body: (UnsafeRawBufferPointer) -> Void
    ) {
        if let table = FoldedScalars.table(for: options) {
            let isFolded = withUnsafeTemporaryAllocation(
                byteCount: utf8.count * FoldedScalars.growth, alignment: 1
            ) { folded in
                guard let count = table.fold(utf8, into: folded) else { return false }
                body(UnsafeRawBufferPointer(rebasing: folded[..<count]))
                return true
            }
            if isFolded { return }
        }
        var folded = foldAsAWhole(String(decoding: utf8, as: UTF8.self), options)
        folded.withUTF8 { body(UnsafeRawBufferPointer($0)) }
    }

    /// Folds text by the rules above, with strings.
    static func foldAsAWhole(
        _ text: String, _ options: PredicateComparison.Options
    ) -> String {
        let lowers = options.contains(.caseInsensitive)
        var folded = String.UnicodeScalarView()
        guard options.contains(.diacriticInsensitive) else {
            for scalar in text.unicodeScalars { append(scalar, lowers, to: &folded) }
            return String(folded)
        }
        forEachPiece(of: text) { piece in
            for scalar in piece.decomposedStringWithCanonicalMapping.unicodeScalars
            where scalar.isASCII || scalar.properties.generalCategory != .nonspacingMark {
                append(scalar, lowers, to: &folded)
            }
        }
        return String(folded)
    }

    /// Calls `body` with pieces of a text that can be decomposed separately. Foundation takes time
    /// in the square of the length, so the pieces are short.
    static func forEachPiece(of text: String, _ body: (String) -> Void) {
        if text.utf8.count <= 512 { return body(text) }
        var piece = String.UnicodeScalarView()
        var count = 0
        for scalar in text.unicodeScalars {
            // A part that begins with a starter decomposes separately, since marks are ordered only
            // up to there.
            if count >= 128, scalar.properties.canonicalCombiningClass == .notReordered {
                body(String(piece))
                piece = String.UnicodeScalarView()
                count = 0
            }
            piece.append(scalar)
            count += 1
        }
        body(String(piece))
    }

    private static func append(
        _ scalar: Unicode.Scalar, _ lowers: Bool, to folded: inout String.UnicodeScalarView
    ) {
        if !lowers {
            folded.append(scalar)
        } else if scalar.isASCII {
            folded.append(Unicode.Scalar(lowercased(UInt8(truncatingIfNeeded: scalar.value))))
        } else {
            // One by one: `append(contentsOf:)` copies the existing contents.
            for lowered in scalar.properties.lowercaseMapping.unicodeScalars {
                folded.append(lowered)
            }
        }
    }

    static func isASCII(_ utf8: UnsafeRawBufferPointer) -> Bool {
        var index = 0
        while index + 8 <= utf8.count {
            if utf8.loadUnaligned(fromByteOffset: index, as: UInt64.self) & 0x8080_8080_8080_8080
                != 0
            {
                return false
            }
            index += 8
        }
        while index < utf8.count {
            if utf8[index] >= 0x80 { return false }
            index += 1
        }
        return true
    }

    private static func lowercased(_ byte: UInt8) -> UInt8 {
        byte &- 65 < 26 ? byte | 0x20 : byte
    }
}
