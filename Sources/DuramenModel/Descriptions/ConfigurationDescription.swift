/// The description of one configuration, as you write it in a model. A configuration names some of
/// the model's entities; you can open a store with it.
///
/// A store of a configuration keeps objects of its entities only, and a change of any other entity
/// leaves it as it is. Configurations take no part in version hashes.
public struct ConfigurationDescription: Sendable, Hashable {
    /// The configuration's name, unique within the model.
    public var name: String
    /// The names of its entities. With an entity come its ancestors and the destinations of its
    /// relationships; an entity may be in several configurations, or in none.
    public var entities: [String]

    /// Describes a configuration.
    public init(_ name: String, entities: [String]) {
        self.name = name
        self.entities = entities
    }
}
