/// The description of one configuration, as you write it in a model. It names some of the entities,
/// and you can open a store with it.
///
/// A store of a configuration has only objects of its entities. A change of any other entity does
/// not affect the store. Configurations are not part of version hashes.
public struct ConfigurationDescription: Sendable, Hashable {
    /// The configuration's name, unique within the model.
    public var name: String
    /// The names of its entities. It also has their ancestors and the destinations of their
    /// relationships. An entity may be in several configurations, or in none.
    public var entities: [String]

    /// Describes a configuration.
    public init(_ name: String, entities: [String]) {
        self.name = name
        self.entities = entities
    }
}
