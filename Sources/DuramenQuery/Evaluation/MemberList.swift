import DuramenModel

/// A list in which values are looked up by equality, in time that is logarithmic in its length.
struct MemberList: Sendable {
    /// The values in order, grouped by kind.
    private let sorted: [StoredValue]
    private let options: PredicateComparison.Options

    /// Creates a list.
    ///
    /// - Parameters:
    ///   - values: The values. Nulls are ignored, since they equal nothing in a list.
    ///   - options: The options for comparing text.
    init(_ values: [StoredValue], _ options: PredicateComparison.Options) {
        self.options = options
        sorted = values.filter { !$0.isNull && !$0.isNotANumber }
            .map { Self.folded($0, options) }
            .sorted { Self.order($0, $1) < 0 }
    }

    func contains(_ value: StoredValue) -> Bool {
        if value.isNull || value.isNotANumber { return false }
        let sought = Self.folded(value, options)
        var (low, high) = (0, sorted.count)
        while low < high {
            let middle = (low + high) / 2
            let order = Self.order(sorted[middle], sought)
            if order == 0 { return true }
            if order > 0 { high = middle } else { low = middle + 1 }
        }
        return false
    }

    private static func folded(
        _ value: StoredValue, _ options: PredicateComparison.Options
    ) -> StoredValue {
        guard !options.isEmpty, let text = value.textValue else { return value }
        return .text(TextFolding.fold(text, options))
    }

    /// Returns the order of two values; kinds that cannot be compared follow each other.
    private static func order(_ a: StoredValue, _ b: StoredValue) -> Int {
        a.kindOrder == b.kindOrder ? StoredValue.order(a, b) ?? 0 : a.kindOrder - b.kindOrder
    }
}
