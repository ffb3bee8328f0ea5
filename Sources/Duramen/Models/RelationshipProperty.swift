/// The type of a property that is a relationship: `X?` for a managed class `X`, `ToMany<X>` or
/// `OrderedToMany<X>`.
///
/// `@Relationship(inverse:)` takes key paths of such properties only. No other type can conform.
public protocol RelationshipProperty {}

extension Optional: RelationshipProperty where Wrapped: ManagedObject {}
extension ToMany: RelationshipProperty {}
extension OrderedToMany: RelationshipProperty {}
