import Foundation

/// A table of folded scalars for some options, so that text is folded scalar by scalar without
/// making strings.
///
/// It is made from the properties of the runtime, once for each of three combinations of options.
struct FoldedScalars: Sendable {
    /// The number of scalars in the table: letters, marks and signs of all alphabets except a few
    /// rare ones. The Chinese ideographs begin here.
    private static let count: UInt32 = 0x3400
    /// A length that means that the scalar cannot be folded by itself.
    private static let notAlone: UInt32 = 15
    /// The maximum number of folded bytes for one byte.
    static let growth = 3

    /// The start of the folded bytes of each scalar, and in the last four bits their number.
    private var places: [UInt32] = []
    private var bytes: [UInt8] = []
    private let dropsMarks: Bool

    private static let lowered = FoldedScalars(.caseInsensitive)
    private static let bare = FoldedScalars(.diacriticInsensitive)
    private static let both = FoldedScalars([.caseInsensitive, .diacriticInsensitive])

    /// Returns the table for the options; nil if neither ignores case or marks.
    static func table(for options: PredicateComparison.Options) -> FoldedScalars? {
        switch (options.contains(.caseInsensitive), options.contains(.diacriticInsensitive)) {
        case (true, true): both
        case (true, false): lowered
        case (false, true): bare
        case (false, false): nil
        }
    }

    private init(_ options: PredicateComparison.Options) {
        dropsMarks = options.contains(.diacriticInsensitive)
        places.reserveCapacity(Int(Self.count))
        for value in 0..<Self.count {
            guard let scalar = Unicode.Scalar(value) else { continue }
            let text = String(scalar)
            let start = UInt32(bytes.count)
            let folded = TextFolding.foldAsAWhole(text, options).utf8
            if folded.count <= text.utf8.count * Self.growth, isAlone(text) {
                bytes += folded
                places.append(start << 4 | UInt32(folded.count))
            } else {
                places.append(start << 4 | Self.notAlone)
            }
        }
    }

    /// Returns whether a scalar always has one folded form. A few kept marks are reordered next to
    /// others.
    private func isAlone(_ text: String) -> Bool {
        guard dropsMarks else { return true }
        return text.decomposedStringWithCanonicalMapping.unicodeScalars.allSatisfy { scalar in
            scalar.properties.canonicalCombiningClass == .notReordered
                || scalar.properties.generalCategory == .nonspacingMark
        }
    }

    /// Folds a text.
    ///
    /// - Parameters:
    ///   - utf8: The text.
    ///   - output: The memory for the folded bytes, ``growth`` times as many as the text has.
    /// - Returns: The number of folded bytes; nil if the text is malformed or has rare scalars, and
    ///   must be folded as a whole.
    func fold(
        _ utf8: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
    ) -> Int? {
        // Sound: the arrays outlive the calls, and places lie within the bytes for which they were
        // made. A scalar folds to at most `growth` times its bytes.
        places.withUnsafeBufferPointer { places in
            bytes.withUnsafeBufferPointer { bytes in
                fold(utf8, into: output, places, bytes)
            }
        }
    }

    @inline(__always)
    private func fold(
        _ utf8: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer,
        _ places: UnsafeBufferPointer<UInt32>, _ bytes: UnsafeBufferPointer<UInt8>
    ) -> Int? {
        var read = 0
        var written = 0
        while read < utf8.count {
            guard let (value, length) = Self.scalar(at: read, of: utf8) else { return nil }
            if value < Self.count {
                let place = places[Int(value)]
                let count = place & 15
                if count == Self.notAlone { return nil }
                let start = Int(place >> 4)
                for offset in 0..<Int(count) { output[written + offset] = bytes[start + offset] }
                written += Int(count)
            } else if Self.staysAsItIs(value) || !dropsMarks && Self.isSyllable(value) {
                for offset in 0..<length { output[written + offset] = utf8[read + offset] }
                written += length
            } else if Self.isSyllable(value) {
                written += Self.writeLetters(ofSyllable: value, to: output, at: written)
            } else {
                return nil
            }
            read += length
        }
        return written
    }

    /// Returns the scalar that begins at a byte, and its length; nil if none does.
    @inline(__always)
    private static func scalar(
        at place: Int, of utf8: UnsafeRawBufferPointer
    ) -> (UInt32, length: Int)? {
        let first = UInt32(utf8[place])
        if first < 0x80 { return (first, 1) }
        let length = first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4
        guard first >= 0xC2, first < 0xF5, place + length <= utf8.count else { return nil }
        var value = first & (0x7F >> UInt32(length))
        for offset in 1..<length {
            let byte = UInt32(utf8[place + offset])
            guard byte & 0xC0 == 0x80 else { return nil }
            value = value << 6 | byte & 0x3F
        }
        // An overlong sequence, a surrogate, or a value beyond the last scalar.
        let least: UInt32 = length == 2 ? 0x80 : length == 3 ? 0x800 : 0x1_0000
        guard value >= least, value < 0x11_0000, value & 0x1F_F800 != 0xD800 else { return nil }
        return (value, length)
    }

    /// Returns whether a scalar beyond the table is an ideograph or a pictograph, without case or
    /// marks.
    @inline(__always)
    private static func staysAsItIs(_ value: UInt32) -> Bool {
        value < 0xA000 || 0x1_F300 <= value && value < 0x1_FB00
    }

    // Korean syllables consist of two or three letters (The Unicode Standard, section 3.12).
    @inline(__always)
    private static func isSyllable(_ value: UInt32) -> Bool { 0xAC00 <= value && value <= 0xD7A3 }

    private static func writeLetters(
        ofSyllable value: UInt32, to output: UnsafeMutableRawBufferPointer, at place: Int
    ) -> Int {
        let number = value - 0xAC00
        var written = 0
        func write(_ letter: UInt32) {
            output[place + written] = UInt8(0xE0 | letter >> 12)
            output[place + written + 1] = UInt8(0x80 | letter >> 6 & 0x3F)
            output[place + written + 2] = UInt8(0x80 | letter & 0x3F)
            written += 3
        }
        write(0x1100 + number / 588)
        write(0x1161 + number % 588 / 28)
        if number % 28 != 0 { write(0x11A7 + number % 28) }
        return written
    }
}
