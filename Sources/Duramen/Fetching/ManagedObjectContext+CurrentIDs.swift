import DuramenModel
import DuramenQuery

// What names a new object is asked for later too, when the object has its permanent ID.
extension ManagedObjectContext {
    /// A condition with the IDs that its objects have now.
    func current(_ predicate: FetchPredicate?) -> FetchPredicate? {
        guard hasOtherIDs else { return predicate }
        return predicate?.replacingObjectIDs(answeredID)
    }

    /// An expression with the IDs that its objects have now.
    func current(_ expression: FetchExpression) -> FetchExpression {
        hasOtherIDs ? expression.replacingObjectIDs(answeredID) : expression
    }

    /// The ID that an object has now for the context at the top, whose store answers.
    func answeredID(of id: ManagedObjectID) -> ManagedObjectID {
        let own = currentID(of: id)
        return parentPart?.whole.answeredID(of: own) ?? own
    }

    /// Whether some object had another ID before, here or further up.
    private var hasOtherIDs: Bool {
        if parentPart?.whole.hasOtherIDs == true { return true }
        if isPlain { return !identity.permanentKeys.isEmpty || !identity.replacedIDs.isEmpty }
        return !whole.aliases.isEmpty
            || parts.contains {
                !$0.identity.permanentKeys.isEmpty || !$0.identity.replacedIDs.isEmpty
            }
    }
}
