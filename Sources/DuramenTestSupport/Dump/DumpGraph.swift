import Duramen
import DuramenModel

/// All objects of a dump in their order.
struct DumpGraph {
    /// The objects: by entity, those with a natural key first and by it, the others by their
    /// values and then by what they are linked with.
    let objects: [DumpObject]

    init(_ managed: [ManagedObject], _ options: DumpOptions) throws {
        var forms: [ObjectIdentifier: DumpForm] = [:]
        var indexes: [ObjectIdentifier: Int] = [:]
        for (index, object) in managed.enumerated() { indexes[ObjectIdentifier(object)] = index }
        var found: [DumpObject] = []
        found.reserveCapacity(managed.count)
        for object in managed {
            let entity = object.entity
            let form = forms[ObjectIdentifier(entity)] ?? DumpForm(entity, options)
            forms[ObjectIdentifier(entity)] = form
            var dumped = try DumpObject(object, form)
            for relationship in form.relationships {
                let value = try object.value(forKey: relationship.name)
                let destinations =
                    value as? [ManagedObject] ?? (value as? ManagedObject).map { [$0] } ?? []
                dumped.links.append(
                    DumpObject.Link(
                        name: relationship.name, isToMany: relationship.isToMany,
                        isOrdered: relationship.isOrdered,
                        // An object that no store has any more has no index.
                        destinations: destinations.compactMap { indexes[ObjectIdentifier($0)] }))
            }
            found.append(dumped)
        }
        objects = Self.ordered(found)
    }

    /// Sorts the objects, and makes the links follow.
    private static func ordered(_ objects: [DumpObject]) -> [DumpObject] {
        let order = NodeOrder(
            edges: edges(of: objects), initial: objects.indices.sorted { precedes(objects, $0, $1) }
        ) { !precedes(objects, $0, $1) && !precedes(objects, $1, $0) }.nodes
        var places = Array(repeating: 0, count: order.count)
        for (place, index) in order.enumerated() { places[index] = place }
        return order.map { index in
            var object = objects[index]
            for link in object.links.indices {
                let moved = object.links[link].destinations.map { places[$0] }
                object.links[link].destinations =
                    object.links[link].isOrdered ? moved : moved.sorted()
            }
            return object
        }
    }

    /// The links as edges. Their labels depend on names alone.
    private static func edges(of objects: [DumpObject]) -> [NodeOrder.Edge] {
        let names = Set(objects.flatMap { $0.links.map { StoredText($0.name) } }).sorted()
        let labels = Dictionary(uniqueKeysWithValues: zip(names, names.indices))
        var edges: [NodeOrder.Edge] = []
        for (source, object) in objects.enumerated() {
            for link in object.links {
                let label = labels[StoredText(link.name)] ?? 0
                for (place, destination) in link.destinations.enumerated() {
                    edges.append(
                        NodeOrder.Edge(
                            source: source, label: label, place: link.isOrdered ? place : 0,
                            destination: destination))
                }
            }
        }
        return edges
    }

    // MARK: - Order by values

    private static func precedes(_ objects: [DumpObject], _ a: Int, _ b: Int) -> Bool {
        let (a, b) = (objects[a], objects[b])
        let byEntity = compare(a.entity, b.entity)
        if byEntity != 0 { return byEntity < 0 }
        if a.key.isEmpty != b.key.isEmpty { return b.key.isEmpty }
        for (x, y) in zip(a.key + a.values, b.key + b.values) {
            let order = compare(x, y)
            if order != 0 { return order < 0 }
        }
        return false
    }

    private static func compare(_ a: String, _ b: String) -> Int {
        let (a, b) = (StoredText(a), StoredText(b))
        return a == b ? 0 : a < b ? -1 : 1
    }

    /// Null comes first.
    private static func compare(_ a: StoredValue, _ b: StoredValue) -> Int {
        if a.isNull || b.isNull { return (a.isNull ? 0 : 1) - (b.isNull ? 0 : 1) }
        return StoredValue.order(a, b) ?? 0
    }
}
