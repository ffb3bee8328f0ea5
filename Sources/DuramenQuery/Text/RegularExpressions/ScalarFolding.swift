import DuramenModel

/// Folds the scalars of a pattern under some options.
struct ScalarFolding: Sendable {
    private let options: PredicateComparison.Options

    init(_ options: PredicateComparison.Options) { self.options = options }

    var foldsCase: Bool { options.contains(.caseInsensitive) }

    /// Returns the folded form of a scalar: usually one, but none for a mark, and several for a
    /// Hangul syllable.
    func fold(_ scalar: Unicode.Scalar) -> [Unicode.Scalar] {
        let folded = TextFolding.fold(StoredText(String(Character(scalar))), options)
        return Array(folded.string.unicodeScalars)
    }

    /// Returns all folded forms of members of the ranges, with their case variants if the flag i is
    /// set.
    ///
    /// Members stay even if their folded form differs, since folded texts do not have them.
    func ranges(_ ranges: [ClosedRange<UInt32>], isCaseless: Bool) -> ScalarRanges {
        var members = ScalarRanges(ranges)
        if isCaseless { members = ScalarRelation.caseVariants.applied(to: members) }
        if options.isEmpty { return members }
        // Making the table takes tens of milliseconds, too much for few members.
        if members.count > 128 { return ScalarRelation.folding(options).applied(to: members) }
        let images = members.ranges.joined().compactMap { Unicode.Scalar($0) }.map(fold)
            .filter { $0.count == 1 }
        return ScalarRanges(members.ranges + images.map { $0[0].value...$0[0].value })
    }
}

/// A relation between scalars.
struct ScalarRelation: Sendable {
    private let pairs: [(from: UInt32, to: UInt32)]

    private init(_ pairs: [(from: UInt32, to: UInt32)]) {
        self.pairs = pairs.sorted { $0.from < $1.from }
    }

    /// Returns the related scalars of a range. A scalar is not included unless it is related to
    /// itself.
    func images(of range: ClosedRange<UInt32>) -> some Sequence<UInt32> {
        pairs[pairs.firstPlace { $0.from >= range.lowerBound }...].lazy
            .prefix { $0.from <= range.upperBound }.map(\.to)
    }

    /// Returns the members and all related scalars.
    func applied(to members: ScalarRanges) -> ScalarRanges {
        let added = members.ranges.flatMap { range in
            images(of: range).filter { !members.contains($0) }.map { $0...$0 }
        }
        return ScalarRanges(members.ranges + added)
    }

    // MARK: - Case

    /// The scalars that differ only in case, by simple mappings to upper and then to lower case.
    /// The result equals Unicode's simple case folding.
    static let caseVariants: ScalarRelation = {
        var groups: [Unicode.Scalar: [UInt32]] = [:]
        // Scalars above do not have case.
        for scalar in scalars(in: [0x41...0x1_FFFF]) where scalar.properties.changesWhenCaseMapped {
            // CaseFolding.txt: the dotless i has no case variant, except in Turkic languages.
            if scalar == "\u{131}" { continue }
            let upper = single(scalar.properties.uppercaseMapping) ?? scalar
            let lower = single(upper.properties.lowercaseMapping) ?? upper
            groups[lower, default: []].append(scalar.value)
        }
        return ScalarRelation(
            groups.values.flatMap { group in
                group.flatMap { from in group.map { (from, $0) } }
            })
    }()

    private static func single(_ mapping: String) -> Unicode.Scalar? {
        let scalars = mapping.unicodeScalars
        return scalars.count == 1 ? scalars.first : nil
    }

    // MARK: - Options

    /// Returns the relation of all scalars that fold to a single other scalar.
    static func folding(_ options: PredicateComparison.Options) -> ScalarRelation {
        switch options {
        case .caseInsensitive: caseFolding
        case .diacriticInsensitive: diacriticFolding
        default: bothFolding
        }
    }

    private static let caseFolding = makeFolding(.caseInsensitive)
    private static let diacriticFolding = makeFolding(.diacriticInsensitive)
    private static let bothFolding = makeFolding([.caseInsensitive, .diacriticInsensitive])

    private static func makeFolding(_ options: PredicateComparison.Options) -> ScalarRelation {
        // Without scalars that fold to themselves or to several: the ideographs, Hangul, private
        // use.
        let scalars = Self.scalars(in: [
            0x41...0x33FF, 0xA000...0xABFF, 0xF900...0x1_FFFF, 0x2_F800...0x2_FA1F,
        ])
        // Many at once, one on each line: one by one takes several times as long.
        return ScalarRelation(
            stride(from: 0, to: scalars.count, by: 256).flatMap {
                foldLines(scalars[$0..<min($0 + 256, scalars.count)], options)
            })
    }

    private static func foldLines(
        _ scalars: ArraySlice<Unicode.Scalar>, _ options: PredicateComparison.Options
    ) -> [(from: UInt32, to: UInt32)] {
        var lines = String.UnicodeScalarView()
        for scalar in scalars {
            lines.append(scalar)
            lines.append("\n")
        }
        let folded = TextFolding.fold(StoredText(String(lines)), options).string.unicodeScalars
        let images = folded.split(separator: "\n", omittingEmptySubsequences: false)
        return zip(scalars, images).compactMap { scalar, image in
            guard let first = image.first, image.dropFirst().isEmpty, first != scalar else {
                return nil
            }
            return (scalar.value, first.value)
        }
    }

    private static func scalars(in ranges: [ClosedRange<UInt32>]) -> [Unicode.Scalar] {
        ranges.flatMap { $0.compactMap { Unicode.Scalar($0) } }
    }
}
