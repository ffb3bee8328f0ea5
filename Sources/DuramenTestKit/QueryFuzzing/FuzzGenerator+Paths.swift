import DuramenModel
import DuramenQuery

extension FuzzGenerator {
    /// A path to one value of a family, from the object or an enclosing variable.
    mutating func path(_ family: Family, _ entity: Entity) -> FetchExpression {
        if let last = variables.last, !random.oneIn(3) {
            if family == .object, random.oneIn(2) { return .variable(last.name) }
            if let path = attribute(of: last.entity, in: family) {
                return .property(.variable(last.name), path)
            }
        }
        if family == .object, random.oneIn(2) { return .selfObject }
        if family == .text, random.oneIn(12) { return .keyPath(["entity"]) }
        return attribute(of: entity, in: family).map { .keyPath($0) } ?? constant(family)
    }

    /// An attribute, or a to-one for objects, possibly after to-ones.
    mutating func attribute(of start: Entity, in family: Family) -> [String]? {
        var (path, entity): ([String], Entity) = ([], start)
        while random.oneIn(3), let step = toOne(entity) {
            path.append(step.name)
            entity = model[step.destination]
        }
        if family == .object { return toOne(entity).map { path + [$0.name] } }
        let fitting = entity.attributes.filter { Family($0.kind) == family }
        return fitting.isEmpty ? nil : path + random.pick(fitting).pathNames
    }

    private mutating func toOne(_ entity: Entity) -> Relationship? {
        let all = entity.relationships.filter { !$0.isToMany && !$0.isHidden }
        return all.isEmpty ? nil : random.pick(all)
    }

    /// A to-many, possibly after one or two other relationships.
    mutating func toMany(_ start: Entity) -> (path: [String], entity: Entity)? {
        var (path, entity): ([String], Entity) = ([], start)
        while path.count < 2, random.oneIn(4) {
            let all = entity.relationships.filter { !$0.isHidden }
            if all.isEmpty { break }
            let step = random.pick(all)
            path.append(step.name)
            entity = model[step.destination]
        }
        let all = entity.toManyRelationships.filter { !$0.isHidden }
        if all.isEmpty { return nil }
        let step = random.pick(all)
        return (path + [step.name], model[step.destination])
    }
}

extension Attribute {
    /// The steps of the property's path: several for an element of a composite.
    var pathNames: [String] { name.split(separator: ".").map(String.init) }
}
