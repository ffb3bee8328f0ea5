import DuramenModel

/// An object of a feed, before it is an object of the context.
final class ImportRecord {
    let plan: ImportPlan
    /// By the index of an attribute in the plan: the value, or nil when the feed does not have it.
    var values: [StoredValue?]
    /// The to-ones that the feed has, by their indexes in the plan: the destination, or nil for
    /// none.
    var toOnes: [(index: Int, destination: ImportRecord?)] = []
    /// The to-manys that the feed has, by their indexes in the plan.
    var toManys: [(index: Int, members: [ImportRecord])] = []
    /// The element of the feed that has the record.
    let element: Int
    /// Later records of the same object.
    private var others: [ImportRecord] = []
    /// The object of the record, once its element is read.
    var imported: ImportedObject?
    /// The object, once it is found or made; nil for a record that is refused.
    var object: ManagedObject?

    init(_ plan: ImportPlan, element: Int) {
        self.plan = plan
        self.element = element
        values = Array(repeating: nil, count: plan.attributes.count)
    }

    /// The values of the natural key; nil when one is missing, or without a key.
    private(set) var key: ImportKey?

    /// Takes the natural key from the values.
    func findKey() {
        var values: [StoredValue] = []
        for index in plan.key {
            guard let value = self.values[index], !value.isNull else { return }
            if plan.key.count == 1 { return key = .value(value) }
            values.append(value)
        }
        if !values.isEmpty { key = .values(values) }
    }

    /// Sets the destination of a to-one.
    func setToOne(_ index: Int, _ destination: ImportRecord?) {
        toOnes.removeAll { $0.index == index }
        toOnes.append((index, destination))
    }

    /// Adds members to a to-many.
    func addMembers(_ members: [ImportRecord], to index: Int) {
        if let known = toManys.firstIndex(where: { $0.index == index }) {
            toManys[known].members += members
        } else {
            toManys.append((index, members))
        }
    }

    /// The elements of the feed that have the object.
    var elements: [Int] { [element] + others.map(\.element) }

    /// Adds a later record of the same object.
    func add(_ other: ImportRecord) { others.append(other) }

    /// Takes the values of the other records over, but for those of elements that are refused. Must
    /// be called once.
    func merge(without refused: [Int: RefusedValue]) {
        if others.isEmpty { return }
        if refused[element] != nil {
            values = Array(repeating: nil, count: values.count)
            toOnes = []
            toManys = []
        }
        for other in others where refused[other.element] == nil {
            for (index, value) in other.values.enumerated() where value != nil {
                values[index] = value
            }
            for (index, destination) in other.toOnes { setToOne(index, destination) }
            // Two lists of one object in a feed are parts of one list.
            for (index, members) in other.toManys { addMembers(members, to: index) }
        }
    }
}
