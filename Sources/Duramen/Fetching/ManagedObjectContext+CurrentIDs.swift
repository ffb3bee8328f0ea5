import DuramenModel
import DuramenQuery

// What names a new object is asked for later too, when the object has its permanent ID.
extension ManagedObjectContext {
    /// A condition with the IDs that its objects have now.
    func current(_ predicate: FetchPredicate?) -> FetchPredicate? {
        guard hasOtherIDs else { return predicate }
        return predicate?.replacingObjectIDs(currentID)
    }

    /// An expression with the IDs that its objects have now.
    func current(_ expression: FetchExpression) -> FetchExpression {
        hasOtherIDs ? expression.replacingObjectIDs(currentID) : expression
    }

    /// Whether some object had another ID before.
    private var hasOtherIDs: Bool {
        if isPlain { return !permanentKeys.isEmpty || !replacedIDs.isEmpty }
        return !whole.aliases.isEmpty
            || parts.contains { !$0.permanentKeys.isEmpty || !$0.replacedIDs.isEmpty }
    }
}
