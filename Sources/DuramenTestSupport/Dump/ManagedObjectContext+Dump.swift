public import Duramen

extension ManagedObjectContext {
    /// Returns all objects as text, for tests that compare it with an expected text.
    ///
    /// ```
    /// Author "Stanisław Lem"
    ///   born: 1921-09-12T00:00:00Z
    ///   name: "Stanisław Lem"
    ///   books:
    ///     Book "978-0-15-602760-1"
    ///
    /// Book "978-0-15-602760-1"
    ///   isbn: "978-0-15-602760-1"
    ///   pages: 204
    ///   author: Author "Stanisław Lem"
    /// ```
    /// The text shows the context's state, unsaved changes included. It depends neither on the
    /// order of insertion, nor on the store, the machine, the locale or the time zone, and it
    /// contains no object IDs. The landing page of this module describes the format. It stays the
    /// same within a major version.
    ///
    /// - Parameters:
    ///   - classes: The classes to show, with their subclasses; none to show all entities.
    ///   - options: The entities, properties and values to show.
    ///   - isolation: The owner of the context, filled in by the compiler.
    /// - Returns: The text. It does not end with a line feed, and is empty if no object is shown.
    /// - Throws: ``TestSupportError`` `.unknownEntity`; otherwise the errors of loading objects.
    /// - Complexity: All objects of the context's stores are loaded, whatever is shown. O(*n* log
    ///   *n*) for *n* objects with natural keys.
    public func dump(
        _ classes: ManagedObject.Type..., options: DumpOptions = DumpOptions(),
        isolation: isolated (any Actor)? = #isolation
    ) throws -> String {
        let model = persistentStoreCoordinator.managedObjectModel
        var shown = try classes.map { try model.requireEntity(of: $0) }
        shown += try options.entities.sorted().map { try model.requireEntity($0) }
        let names = shown.isEmpty ? nil : Set(shown.flatMap { $0.family.map { model[$0].name } })

        var objects: [ManagedObject] = []
        for root in model.entities where root.superentity == nil {
            var request = FetchRequest<ManagedObject>(entityName: root.name)
            request.returnsObjectsAsFaults = false
            objects += try fetch(request, isolation: isolation)
        }
        return try DumpText(DumpGraph(objects, options)).text(of: names)
    }
}
