import Foundation

/// What each scalar folds to under some options, so that text is folded scalar by scalar without
/// making strings.
///
/// Made from the properties that the runtime gives, once for each of three combinations of options.
struct FoldedScalars: Sendable {
    /// All scalars below this one are in the table: letters, marks and signs of all alphabets but a
    /// few rare ones. The ideographs of China begin here.
    private static let count: UInt32 = 0x3400
    /// A length that says: not by itself.
    private static let notAlone: UInt32 = 15
    /// Into how many bytes a byte may grow.
    static let growth = 3

    /// By scalar: where its folded bytes begin, and in the last four bits how many they are.
    private var places: [UInt32] = []
    private var bytes: [UInt8] = []
    private let dropsMarks: Bool

    private static let lowered = FoldedScalars(.caseInsensitive)
    private static let bare = FoldedScalars(.diacriticInsensitive)
    private static let both = FoldedScalars([.caseInsensitive, .diacriticInsensitive])

    /// The table for the options; nil when neither case nor marks are disregarded.
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

    /// Whether a scalar folds to the same wherever it stands: a few marks that are kept change
    /// places with others.
    private func isAlone(_ text: String) -> Bool {
        guard dropsMarks else { return true }
        return text.decomposedStringWithCanonicalMapping.unicodeScalars.allSatisfy { scalar in
            scalar.properties.canonicalCombiningClass == .notReordered
                || scalar.properties.generalCategory == .nonspacingMark
        }
    }

    /// Folds a text.
    ///
    /// - Parameter output: Where the folded bytes go: ``growth`` times as many as the text has.
    /// - Returns: How many bytes these are; nil when the text is malformed or has rare scalars, and
    ///   is to be folded as a whole.
    func fold(
        _ utf8: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
    ) -> Int? {
        // Sound: the arrays outlive the calls, places lie within the bytes that they were made
        // with, and no scalar folds to more than `growth` times its bytes.
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

    /// The scalar that begins at a byte, and its length; nil where none does.
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
        // Longer than needed, half of a pair, or beyond the last one.
        let least: UInt32 = length == 2 ? 0x80 : length == 3 ? 0x800 : 0x1_0000
        guard value >= least, value < 0x11_0000, value & 0x1F_F800 != 0xD800 else { return nil }
        return (value, length)
    }

    /// Whether a scalar beyond the table is an ideograph or a pictograph, which have neither case
    /// nor marks.
    @inline(__always)
    private static func staysAsItIs(_ value: UInt32) -> Bool {
        value < 0xA000 || 0x1_F300 <= value && value < 0x1_FB00
    }

    // Korean syllables are made of two or three letters, as The Unicode Standard has it in section
    // 3.12.
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
