/// An entity while the model is being resolved, before it becomes immutable.
struct EntityDraft {
    var id: EntityID
    var description: EntityDescription
    var superentity: EntityID?
    var root: EntityID
    var subentities: [EntityID] = []
    var family: [EntityID] = []
    var attributes: [Attribute] = []
    var composites: [CompositeAttribute] = []
    var transientAttributes: [TransientAttribute] = []
    var relationships: [Relationship] = []
    var fetchedProperties: [FetchedPropertyDescription] = []
    var layout = RowLayout(kinds: [])
    var uniquenessConstraints: [UniquenessConstraint] = []
    var versionHash = ""

    init(id: EntityID, description: EntityDescription) {
        self.id = id
        self.description = description
        root = id
    }
}
