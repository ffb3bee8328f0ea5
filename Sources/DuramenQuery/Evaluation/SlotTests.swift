import DuramenModel
import Foundation

/// Makes conditions on one slot, in the fastest form for their types.
struct SlotTests {
    let slot: Int
    let kind: SlotKind

    /// Returns a condition that compares the slot with a constant.
    func test(_ law: ComparisonLaw, _ constant: StoredValue) -> LocalTest {
        if constant.isNull { return nullTest(law) }
        switch (kind, constant) {
        case (.integer, .integer(let value)), (.boolean, .integer(let value)):
            return .integers(range(law.operator, value))
        case (.integer, .boolean(let value)), (.boolean, .boolean(let value)):
            return .integers(range(law.operator, value ? 1 : 0))
        case (.integer, .double(let value)), (.boolean, .double(let value)):
            return .integers(whole(law.operator, value))
        case (.double, .double(let value)), (.float, .double(let value)):
            return .doubles(range(law.operator, value))
        case (.date, .date(let value)):
            return .doubles(range(law.operator, value.timeIntervalSinceReferenceDate))
        case (.double, .integer(let value)), (.float, .integer(let value)):
            // Beyond 2^53 an integer may lie between two doubles; ``ComparisonLaw`` compares it
            // exactly.
            if let exact = Double(exactly: value) { return .doubles(range(law.operator, exact)) }
        case (.double, .boolean(let value)), (.float, .boolean(let value)):
            return .doubles(range(law.operator, value ? 1 : 0))
        case (.text, .text(let text)), (.text, .uri(let text)), (.uri, .text(let text)),
            (.uri, .uri(let text)):
            return .closure(self.text(law, text))
        case (.binary, .binary(let data)): return .closure(bytes(law, [UInt8](data), []))
        case (.uuid, .uuid(let uuid)):
            return .closure(bytes(law, withUnsafeBytes(of: uuid.uuid) { [UInt8]($0) }, []))
        default: break
        }
        return .closure { [slot, kind] row, _, _ in law.holds(row.value(slot, kind), constant) }
    }

    /// Returns a condition that compares the slot with a list, for `between` and `isIn`.
    func test(_ law: ComparisonLaw, list: [StoredValue]) -> LocalTest {
        if law.operator == .between, list.count == 2 {
            let low = test(ComparisonLaw(operator: .greaterOrEqual, options: law.options), list[0])
            let high = test(ComparisonLaw(operator: .lessOrEqual, options: law.options), list[1])
            if let both = low.joined(with: high) { return both }
            return .closure { low.holds($0, $1, $2) && high.holds($0, $1, $2) }
        }
        let values = list.filter { !$0.isNull }
        if let members = Self.all(values, \.wholeNumber), kind == .integer || kind == .boolean {
            return .closure(member(of: Set(members)))
        }
        if let members = Self.all(values, \.exactDouble), kind == .double || kind == .float {
            return .closure(member(of: Set(members)))
        }
        if let members = Self.all(values, \.seconds), kind == .date {
            return .closure(member(of: Set(members)))
        }
        if let members = Self.all(values, \.textValue), kind == .text || kind == .uri {
            let folded = members.map { TextFolding.fold($0, law.options) }
            return .closure(textMember(of: folded, law.options))
        }
        if law.operator == .isIn {
            let members = MemberList(values, law.options)
            return .closure { [slot, kind] row, _, _ in members.contains(row.value(slot, kind)) }
        }
        return .closure { [slot, kind] row, _, _ in law.holds(row.value(slot, kind), list: values) }
    }

    private func nullTest(_ law: ComparisonLaw) -> LocalTest {
        .integers(
            SlotRange(
                slot: slot, everyNumber: law.operator == .notEqual, null: law.operator == .equal))
    }

    private func range<Number>(
        _ relation: PredicateComparison.Operator, _ value: Number
    ) -> SlotRange<Number> { SlotRange(slot: slot, relation, value) }

    /// Returns the range of integers that satisfy a comparison with a double.
    private func whole(
        _ relation: PredicateComparison.Operator, _ value: Double
    ) -> SlotRange<Int64> {
        if let exact = Int64(exactly: value) { return range(relation, exact) }
        switch relation {
        case .equal: return SlotRange(slot: slot, everyNumber: false, null: false)
        case .notEqual: return SlotRange(slot: slot, everyNumber: true, null: true)
        case .less, .lessOrEqual:
            if value < -0x1p63 { return SlotRange(slot: slot, everyNumber: false, null: false) }
            return range(.lessOrEqual, Self.floor(value))
        case .greater, .greaterOrEqual:
            if value < -0x1p63 { return SlotRange(slot: slot, everyNumber: true, null: false) }
            return range(.greater, Self.floor(value))
        default: return SlotRange(slot: slot, everyNumber: false, null: false)
        }
    }

    /// Returns the greatest integer below a number that is not an integer, and not below all
    /// integers.
    private static func floor(_ value: Double) -> Int64 {
        Int64(exactly: value.rounded(.down)) ?? .max
    }

    private func member<Number: InPlaceNumber>(of members: Set<Number>) -> RowTest {
        { [slot] row, _, _ in !row.isNull(slot) && members.contains(Number.read(row, slot)) }
    }

    private static func all<Part>(
        _ values: [StoredValue], _ part: (StoredValue) -> Part?
    ) -> [Part]? {
        let parts = values.compactMap(part)
        return parts.count == values.count ? parts : nil
    }
}

// MARK: - Bytes

extension SlotTests {
    // `unsafeBytes` is sound in these closures: the row, and so its block, outlives the call.

    private func text(_ law: ComparisonLaw, _ sought: StoredText) -> RowTest {
        switch law.operator {
        case .contains, .beginsWith, .endsWith, .like, .matches:
            let (slot, options) = (slot, law.options)
            guard let test = TextTest(law.operator, sought, options) else {
                return { _, _, _ in false }
            }
            if options.isEmpty {
                return { row, _, _ in !row.isNull(slot) && test.holds(row.unsafeBytes(slot)) }
            }
            return { row, _, _ in
                !row.isNull(slot)
                    && TextFolding.withFolded(row.unsafeBytes(slot), options) { test.holds($0) }
            }
        default:
            let folded = TextFolding.fold(sought, law.options)
            return bytes(law, Array(folded.string.utf8), law.options)
        }
    }

    private func bytes(
        _ law: ComparisonLaw, _ value: [UInt8], _ options: PredicateComparison.Options
    ) -> RowTest {
        let slot = slot
        let whenNull = law.operator == .notEqual
        if options.isEmpty, law.operator == .equal {
            return { row, _, _ in
                if row.isNull(slot) { return false }
                let bytes = row.unsafeBytes(slot)
                return bytes.count == value.count
                    && value.withUnsafeBytes { ByteSearch.stands($0, at: 0, in: bytes) }
            }
        }
        return { row, _, _ in
            if row.isNull(slot) { return whenNull }
            return TextFolding.withFolded(row.unsafeBytes(slot), options) { bytes in
                law.accepts(value.withUnsafeBytes { StoredText.compare(bytes, $0) })
            }
        }
    }

    private func textMember(
        of members: [StoredText], _ options: PredicateComparison.Options
    ) -> RowTest {
        let slot = slot
        let sorted = members.sorted().map { Array($0.string.utf8) }
        return { row, _, _ in
            if row.isNull(slot) { return false }
            return TextFolding.withFolded(row.unsafeBytes(slot), options) { bytes in
                var (low, high) = (0, sorted.count)
                while low < high {
                    let middle = (low + high) / 2
                    let order = sorted[middle].withUnsafeBytes { StoredText.compare(bytes, $0) }
                    if order == 0 { return true }
                    if order < 0 { high = middle } else { low = middle + 1 }
                }
                return false
            }
        }
    }
}

extension StoredValue {
    fileprivate var wholeNumber: Int64? {
        switch self {
        case .integer(let value): value
        case .boolean(let value): value ? 1 : 0
        default: nil
        }
    }

    fileprivate var exactDouble: Double? {
        switch self {
        case .double(let value): value
        case .integer(let value): Double(exactly: value)
        case .boolean(let value): value ? 1 : 0
        default: nil
        }
    }

    fileprivate var seconds: Double? {
        if case .date(let date) = self { date.timeIntervalSinceReferenceDate } else { nil }
    }
}
