import DuramenModel

/// The rule by which the many-to-manys of a file give their tables their names.
enum PairNaming: Int {
    /// That of files which builds before format 4 made: the end with the lower entity number names
    /// the table, and of one entity's own two ends the first. Names of columns are those of a
    /// table.
    case byNumber = 1
    /// Core Data's, as its files show: entities come by name, each with its relationships from the
    /// last name to the first, inherited ones too; what comes first names the table. A column's
    /// name that another table has gets a digit.
    case byName = 2

    /// The side of every many-to-many that names its table, in the order of the tables.
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
