import DuramenModel

/// The answer of a store, or of the plain evaluation, with object IDs of the first store.
enum FuzzAnswer: Equatable {
    case objects([ManagedObjectID])
    case rows([FuzzRow])
    case count(Int)
    case results([[StoredValue]])

    /// Whether the answer has some results, but not all.
    func isDiscerning(among objectCount: Int) -> Bool {
        let count =
            switch self {
            case .objects(let ids): ids.count
            case .rows(let rows): rows.count
            case .count(let count): count
            case .results(let results): results.count
            }
        return count > 0 && count < objectCount
    }
}

/// An object with the values of the requested slots.
struct FuzzRow: Equatable {
    let id: ManagedObjectID
    let values: PropertyValues

    init(
        id: ManagedObjectID, values: PropertyValues, slots: SlotSet?, model: ManagedObjectModel
    ) {
        self.id = id
        guard let slots else {
            self.values = values
            return
        }
        // Other slots may have values or not.
        var asked: PropertyValues = [:]
        for attribute in model.entity(of: id)?.attributes ?? []
        where slots.contains(attribute.slot) {
            asked[attribute.name] = values[attribute.name]
        }
        self.values = asked
    }
}

extension FuzzAnswer: CustomStringConvertible {
    var description: String {
        switch self {
        case .objects(let ids): "\(ids.map(\.key))"
        case .rows(let rows): "\(rows.map { "\($0.id.key): \($0.values)" })"
        case .count(let count): "\(count)"
        case .results(let results): "\(results)"
        }
    }
}
