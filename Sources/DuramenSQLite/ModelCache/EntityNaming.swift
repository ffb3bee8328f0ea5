import DuramenModel
import DuramenStore

/// Corrects the names of entities where a model cache differs from the file's own list, as after a
/// migration with renames only. The rows follow the list.
struct EntityNaming {
    private(set) var findings: [StoredModelFinding] = []

    /// Renames unambiguous entities: the only one that is missing below a parent, if the list has
    /// one more.
    mutating func apply(_ list: [EntityList.Entry], to model: inout ForeignModel) {
        var listed: Set<StoredText> = []
        for entry in list { listed.insert(StoredText(entry.name)) }
        let names = Dictionary(
            list.map { ($0.number, $0.name) }, uniquingKeysWith: { first, _ in first })
        // Parents first, so that a child is found under its parent's new name.
        var progress = true
        while progress {
            progress = false
            let known = Set(model.entities.map { StoredText($0.name) })
            let lost = model.entities.filter { !listed.contains(StoredText($0.name)) }
            let free = list.filter { !known.contains(StoredText($0.name)) }
            for entity in lost {
                let parent = entity.superentity.map { StoredText($0) }
                let siblings = lost.filter { $0.superentity.map { StoredText($0) } == parent }
                let places = free.filter { names[$0.parent].map { StoredText($0) } == parent }
                guard siblings.count == 1, places.count == 1 else { continue }
                rename(entity.name, to: places[0].name, in: &model)
                progress = true
                break
            }
        }
        let known = Set(model.entities.map { StoredText($0.name) })
        for entry in list where !known.contains(StoredText(entry.name)) {
            findings.append(
                StoredModelFinding(
                    entity: entry.name, property: nil,
                    message: "not in the store's own model; its rows are left out"))
        }
    }

    private mutating func rename(
        _ old: String, to new: String, in model: inout ForeignModel
    ) {
        func renamed(_ name: String) -> String { StoredText(name) == StoredText(old) ? new : name }
        for place in model.entities.indices {
            model.entities[place].name = renamed(model.entities[place].name)
            model.entities[place].superentity = model.entities[place].superentity.map(renamed)
            for index in model.entities[place].relationships.indices {
                let destination = model.entities[place].relationships[index].destination
                model.entities[place].relationships[index].destination = renamed(destination)
            }
        }
        findings.append(
            StoredModelFinding(
                entity: new, property: nil,
                message: "the store's own model says '\(old)'; the name in Z_PRIMARYKEY is used"))
    }
}
