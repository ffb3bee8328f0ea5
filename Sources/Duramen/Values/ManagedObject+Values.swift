import DuramenModel
public import DuramenQuery

extension QueryableObject where Self: ManagedObject {
    /// Inserts a new object with values. Their own ID plays no part: the object gets another.
    ///
    /// - Throws: As ``apply(_:)`` does; nothing is inserted then.
    public init<Values: ManagedValues>(_ values: Values, context: ManagedObjectContext) throws
    where Values.Object == Self {
        let edit = ValuesEdit(insertingInto: context.plan(for: Self.self), in: context)
        try edit.check(values)
        self.init(context.registrationForInsert(of: Self.self))
        edit.write(values, to: self)
    }

    /// Changes the object where values differ from its own, text by its bytes. Without a difference
    /// the object has no changes afterwards that it had not before.
    ///
    /// To-manys are part of it where the values have them. The ID of the values plays no part.
    /// - Throws: ``ContextError`` `.invalidValue` for a number or date that cannot be stored and
    ///   for an ID of another store or entity, `.objectNotFound` for the ID of an object that was
    ///   deleted or that is new in another context, and when this object is gone. The object is
    ///   unchanged then.
    public func apply<Values: ManagedValues>(_ values: Values) throws
    where Values.Object == Self {
        let edit = try ValuesEdit(of: self)
        try edit.check(values)
        edit.write(values, to: self)
    }
}
