import DuramenModel
import DuramenQuery

// What names a new object is asked for later too, when the object has its permanent ID.
extension ManagedObjectContext {
    /// Whether some object had another ID before, here or further up.
    private var hasOtherIDs: Bool {
        if parent?.hasOtherIDs == true { return true }
        return !stores.aliases.isEmpty
            || parts.contains {
                !$0.identity.permanentKeys.isEmpty || !$0.identity.replacedIDs.isEmpty
            }
    }

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
        let own = main.currentID(of: id)
        return parent?.answeredID(of: own) ?? own
    }
}
