import DuramenModel

/// An expression whose names have become slots.
indirect enum BoundExpression: Sendable {
    case constant(QueryValue)
    case selfObject
    /// The value of a variable, by its place.
    case variable(Int)
    /// The places that steps lead to from the object itself, or from what an expression gives.
    case path(BoundExpression?, [BoundStep])
    case list([BoundExpression])
    case function(FetchFunction, [BoundExpression])
    /// The elements of a collection that a condition holds for, which calls them by a variable's
    /// place.
    case subquery(BoundExpression, Int, BoundNode)
    case conditional(BoundNode, BoundExpression, BoundExpression)
    case cast(BoundExpression, FetchCast)
    case assignment(Int, BoundExpression)
}

/// One step of a path.
enum BoundStep: Sendable {
    case attribute(slot: Int, SlotKind)
    case toOne(BoundReference)
    case toMany(Relationship)
    /// The name of an object's own entity.
    case entity
    /// A name in a ``QueryValue/dictionary(_:)``.
    case named(String)
}

/// A comparison of what two expressions give.
struct BoundComparison: Sendable {
    let left: BoundExpression
    let relation: PreparedComparison
    let right: BoundExpression
}

/// What is known of the values of an expression before any is read.
struct ExpressionType {
    /// What the values, or the elements, compare with; nil when they may be anything.
    var family: ValueFamily?
    /// Whether there are several values; nil when that depends.
    var isCollection: Bool?
    /// The entity of objects, whose properties may follow.
    var entity: Entity?
    /// Whether the elements stand in an order of their own.
    var isOrdered = false

    static let unknown = ExpressionType()

    static func value(_ family: ValueFamily?) -> ExpressionType {
        ExpressionType(family: family, isCollection: false)
    }

    init(family: ValueFamily? = nil, isCollection: Bool? = nil, entity: Entity? = nil) {
        self.family = family
        self.isCollection = isCollection
        self.entity = entity
    }
}
