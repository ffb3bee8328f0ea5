import DuramenModel
public import DuramenQuery

extension QueryableObject where Self: ManagedObject {
    /// Inserts a new object with values. The ID of the values is ignored; the object gets a new
    /// one.
    ///
    /// - Throws: The errors of ``apply(_:)``; nothing is inserted then.
    public init<Values: ManagedValues>(_ values: Values, context: ManagedObjectContext) throws
    where Values.Object == Self {
        let edit = ValuesEdit(insertingInto: context.plan(for: Self.self), in: context)
        try edit.check(values)
        self.init(context.registrationForInsert(of: Self.self))
        edit.write(values, to: self)
    }

    /// Changes the object's properties that differ from values; text is compared by its bytes.
    /// Equal values are not changes.
    ///
    /// To-manys are included if the values have them. The ID of the values is ignored.
    /// - Throws: ``ContextError`` `.invalidValue` for a number or date that cannot be stored, and
    ///   for an ID of another store or entity. `.objectNotFound` for the ID of an object that was
    ///   deleted or is new in another context, and if this object is gone. If the call throws, the
    ///   object is unchanged.
    public func apply<Values: ManagedValues>(_ values: Values) throws
    where Values.Object == Self {
        let edit = try ValuesEdit(of: self)
        try edit.check(values)
        edit.write(values, to: self)
    }
}
