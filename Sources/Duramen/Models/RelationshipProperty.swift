/// A property type of relationships: `X?` for a managed class `X`, `ToMany<X>` or
/// `OrderedToMany<X>`.
///
/// `@Relationship(inverse:)` accepts only key paths of such properties. Do not add conformances.
public protocol RelationshipProperty {}

extension Optional: RelationshipProperty where Wrapped: ManagedObject {}
extension ToMany: RelationshipProperty {}
extension OrderedToMany: RelationshipProperty {}
