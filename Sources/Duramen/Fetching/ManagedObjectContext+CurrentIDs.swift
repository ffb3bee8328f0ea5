import DuramenModel
import DuramenQuery

// A request may name a new object by its temporary ID after the object has its permanent ID.
extension ManagedObjectContext {
    /// Whether an object had another ID before, here or in an ancestor.
    private var hasOtherIDs: Bool {
        if parent?.hasOtherIDs == true { return true }
        return !stores.aliases.isEmpty
            || parts.contains {
                !$0.identity.permanentKeys.isEmpty || !$0.identity.replacedIDs.isEmpty
            }
    }

    /// Returns a condition with the present IDs of its objects.
    func current(_ predicate: FetchPredicate?) -> FetchPredicate? {
        guard hasOtherIDs else { return predicate }
        return predicate?.replacingObjectIDs(answeredID)
    }

    /// Returns an expression with the present IDs of its objects.
    func current(_ expression: FetchExpression) -> FetchExpression {
        hasOtherIDs ? expression.replacingObjectIDs(answeredID) : expression
    }

    /// Returns the present ID of an object in the context at the top, whose store is queried.
    func answeredID(of id: ManagedObjectID) -> ManagedObjectID {
        let own = main.currentID(of: id)
        return parent?.answeredID(of: own) ?? own
    }
}
