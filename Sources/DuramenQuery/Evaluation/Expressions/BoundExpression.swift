import DuramenModel

/// An expression whose names are resolved to slots.
indirect enum BoundExpression: Sendable {
    case constant(QueryValue)
    case selfObject
    /// The value of a variable, by its index.
    case variable(Int)
    /// A path of steps from the object itself, or from the value of an expression.
    case path(BoundExpression?, [BoundStep])
    case list([BoundExpression])
    case function(FetchFunction, [BoundExpression])
    /// The elements of a collection that satisfy a condition. The condition refers to an element by
    /// the variable's index.
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

/// A comparison of the values of two expressions.
struct BoundComparison: Sendable {
    let left: BoundExpression
    let relation: PreparedComparison
    let right: BoundExpression
}

/// The known type of an expression's values before evaluation.
struct ExpressionType {
    /// The family of the values or elements; nil if it is unknown.
    var family: ValueFamily?
    /// Whether there are several values; nil if it is unknown.
    var isCollection: Bool?
    /// The entity of the objects, whose properties may follow in a path.
    var entity: Entity?
    /// Whether the elements have a meaningful order.
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
