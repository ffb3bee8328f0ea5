import DuramenModel

/// The rule for the names of a file's pair tables.
enum PairNaming: Int {
    /// The rule of builds before format 4. The side with the lower entity number names the table;
    /// of two sides with one entity, the first. Names of columns are unique within a table.
    case byNumber = 1
    /// Core Data's rule, as its files show. Entities come by name, each with its relationships in
    /// reverse order of names, including inherited ones. The first side in this order names the
    /// table. A column name that another table has gets a digit.
    case byName = 2

    /// Returns the side of every many-to-many that names its table, in the order of the tables.
    func sides(of model: ManagedObjectModel, _ numbers: [Int]) -> [Relationship] {
        switch self {
        case .byNumber:
            return model.relationships.filter { relationship in
                guard relationship.isManyToMany else { return false }
                let inverse = model[relationship.inverse]
                let own = numbers[relationship.declaringEntity.index]
                let other = numbers[inverse.declaringEntity.index]
                return own == other ? relationship.id <= inverse.id : own < other
            }
        case .byName:
            var seen: Set<RelationshipID> = []
            return model.entities.sorted(by: AppleNaming.precedes).flatMap { entity in
                entity.relationships.filter(\.isManyToMany)
                    .sorted { StoredText($0.name) > StoredText($1.name) }
                    .filter { relationship in
                        defer { seen.insert(relationship.inverse) }
                        return seen.insert(relationship.id).inserted
                    }
                    .map { model[$0.id] }
            }
        }
    }
}

extension Relationship {
    fileprivate var isManyToMany: Bool {
        if case .manyToMany = storage { true } else { false }
    }
}
