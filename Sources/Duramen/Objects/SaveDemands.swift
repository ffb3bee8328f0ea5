import DuramenModel

/// The conditions of the model and the class that an object must meet to be saved.
struct SaveDemands {
    /// The slots of mandatory properties, to be tested against the null bits of slots 0…63.
    let mandatoryBits: UInt64
    /// The other slots of mandatory properties.
    let mandatoryHighSlots: [Int]
    /// The to-manys that limit the number of their destinations.
    let limitedToManys: [Relationship]
    /// The transient attributes that must have a value.
    let mandatoryTransients: [TransientAttribute]
    /// The optional composites. One with a value may lack mandatory elements.
    let optionalComposites: [CompositeAttribute]
    /// The rules of the class for single properties.
    let propertyRules: [PropertyRule]
    /// Whether a row without null bits in ``mandatoryBits`` meets all conditions of the model.
    let judgesByNullBits: Bool
    /// The attributes with rules. Patterns are compiled when an object is first saved.
    private(set) lazy var attributeChecks = restricted.map(AttributeCheck.init)
    private let restricted: [Attribute]

    init(of entity: Entity, propertyRules: [PropertyRule]) {
        var low: UInt64 = 0
        var high: [Int] = []
        let mandatory =
            entity.attributes.filter { !$0.isOptional }.map(\.slot)
            + entity.relationships.filter { !$0.isOptional }.compactMap(\.slot)
        for slot in mandatory {
            if slot < 64 { low |= 1 << UInt64(slot) } else { high.append(slot) }
        }
        mandatoryBits = low
        mandatoryHighSlots = high
        limitedToManys = entity.toManyRelationships.filter {
            $0.minimumCount > 0 || $0.maximumCount != nil
        }
        mandatoryTransients = entity.transientAttributes.filter { !$0.isOptional }
        optionalComposites = entity.composites.flatMap(\.outermostOptional)
        restricted = entity.attributes.filter { !$0.rules.isEmpty }
        self.propertyRules = propertyRules
        judgesByNullBits =
            high.isEmpty && limitedToManys.isEmpty && mandatoryTransients.isEmpty
            && optionalComposites.isEmpty && restricted.isEmpty
    }
}
