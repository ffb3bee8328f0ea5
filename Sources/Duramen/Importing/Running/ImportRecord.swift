import DuramenModel

/// An object of a feed, before it is an object of the context.
final class ImportRecord {
    let plan: ImportPlan
    /// By the index of an attribute in the plan: the value, or nil when the feed does not have it.
    var values: [StoredValue?]
    /// By the index of a to-one in the plan: the destination, or nil for none.
    var toOnes: [Int: ImportRecord?] = [:]
    /// By the index of a to-many in the plan.
    var toManys: [Int: [ImportRecord]] = [:]
    /// The elements of the feed that have the object.
    private(set) var elements: [Int]
    /// The object, once it is found or made.
    var object: ManagedObject?

    init(_ plan: ImportPlan, element: Int) {
        self.plan = plan
        elements = [element]
        values = Array(repeating: nil, count: plan.attributes.count)
    }

    /// The values of the natural key; nil when one is missing, or without a key.
    var key: ImportKey? {
        if plan.key.isEmpty { return nil }
        var values: [StoredValue] = []
        for index in plan.key {
            guard let value = self.values[index], !value.isNull else { return nil }
            values.append(value)
        }
        return ImportKey(values: values)
    }

    /// Takes over the values of a later record of the same object.
    func merge(_ other: ImportRecord) {
        if elements.last != other.elements[0] { elements += other.elements }
        for (index, value) in other.values.enumerated() where value != nil {
            values[index] = value
        }
        toOnes.merge(other.toOnes) { _, new in new }
        for (index, members) in other.toManys {
            // Two lists of one object in a feed are parts of one list.
            toManys[index, default: []] += members
        }
    }
}

/// The values of a natural key.
struct ImportKey: Hashable {
    let values: [StoredValue]
}
