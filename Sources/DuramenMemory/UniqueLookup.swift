import DuramenModel
import DuramenQuery
import HashTreeCollections

/// The values of an attribute that is unique, of which every result of a query has one.
///
/// The state knows the row of each unique value, so that a query such as that of an import is a few
/// look-ups, and no walk through all rows.
struct UniqueLookup: Sendable {
    let attribute: Attribute
    private let values: [UniqueValue]

    /// Finds a condition that a unique value fulfils; nil when there is none.
    init?(_ query: FetchPredicate?, of entity: Entity) {
        guard let query else { return nil }
        let parts = if case .and(let parts) = query.form { parts } else { [query] }
        for part in parts {
            guard case .comparison(let comparison) = part.form, comparison.options.isEmpty,
                case .keyPath(let names) = comparison.left.form, names.count == 1,
                let constants = Self.constants(of: comparison)
            else { continue }
            let name = StoredText(names[0])
            for constraint in entity.uniquenessConstraints where constraint.slots.count == 1 {
                guard
                    let attribute = entity.attributes.first(where: {
                        $0.slot == constraint.slots[0] && StoredText($0.name) == name
                    })
                else { continue }
                var values: [UniqueValue] = []
                for constant in constants {
                    // A number of another type may be equal to a stored one.
                    guard let value = UniqueValue(constraint, constant, of: attribute.kind) else {
                        return nil
                    }
                    values.append(value)
                }
                self.attribute = attribute
                self.values = values
                return
            }
        }
        return nil
    }

    /// The values that a comparison asks for; nil when it asks for others too.
    private static func constants(of comparison: PredicateComparison) -> [StoredValue]? {
        switch (comparison.operator, comparison.right.form) {
        case (.equal, .constant(let value)) where !value.isNull: [value]
        case (.isIn, .list(let values)) where !values.contains(where: \.isNull): values
        default: nil
        }
    }

    /// The keys of the rows that have one of the values, ascending.
    func keys(in state: MemoryState) -> [Int64] {
        Set(values.compactMap { state.holders[$0]?.key }).sorted()
    }
}

extension UniqueValue {
    /// The value of a constraint on one attribute; nil when it is of another kind than the
    /// attribute.
    fileprivate convenience init?(
        _ constraint: UniquenessConstraint, _ value: StoredValue, of kind: SlotKind
    ) {
        switch (kind, value) {
        case (.integer, .integer), (.text, .text), (.uri, .uri), (.uuid, .uuid): break
        default: return nil
        }
        self.init(constraint, value)
    }
}
