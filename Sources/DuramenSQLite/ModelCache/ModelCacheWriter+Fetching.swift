import DuramenArchives
import DuramenModel
import DuramenQuery

/// The fetched properties of a model cache.
extension ModelCacheWriter {
    /// A fetched property; nil if the form of its predicate is unknown.
    mutating func fetchedProperty(
        _ property: FetchedPropertyDescription, of owner: Int
    ) -> Property? {
        var predicate = KeyedArchiveBuilder.null
        if let format = property.predicateFormat {
            guard let condition = try? FetchPredicate(format: format, arguments: []),
                let known = archive.predicate(condition)
            else { return nil }
            predicate = known
        }
        var fields = fields(
            of: Traits(
                name: property.name, isOptional: true, isReadOnly: true, isTransient: true,
                userInfo: property.userInfo))
        fields += [
            ("_NSFetchRequestEntityName", archive.text(property.destination)),
            ("NSFetchRequest", request(of: property, predicate)),
        ]
        return self.property(property.name, .fetchedProperty, fields, of: owner)
    }

    private mutating func request(
        of property: FetchedPropertyDescription, _ predicate: Part
    ) -> Part {
        let null = KeyedArchiveBuilder.null
        var keys: [Part] = []
        for key in property.sortKeys {
            let (path, selector) = (archive.text(key.keyPath), archive.text("compare:"))
            keys.append(
                archive.add(
                    .sortDescriptor,
                    [
                        ("NSKey", path), ("NSAscending", .boolean(key.isAscending)),
                        ("NSSelector", selector), ("NSReverseNullOrder", .boolean(false)),
                    ]))
        }
        let order = keys.isEmpty ? null : archive.list(.array, keys)
        return archive.add(
            .fetchRequest,
            [
                ("NSEntity", reference(toEntity: place(of: property.destination))),
                ("NSPredicate", predicate), ("NSSortDescriptors", order),
                ("NSFetchLimit", .integer(Int64(property.fetchLimit ?? 0))),
                ("NSFetchOffset", .integer(0)), ("NSBatchSize", .integer(0)),
                ("NSResultType", .integer(0)), ("NSAllocationType", .integer(0)),
                // The meaning of these numbers is unknown; all eight known requests have them.
                ("NSHasFetchRequestFlags", .boolean(true)), ("NSFetchRequestFlags", .integer(30)),
                ("NSHavingPredicate", null), ("NSRelationshipKeyPathsForPrefetching", null),
                ("NSValuesToFetch", null), ("NSValuesToGroupBy", null),
            ])
    }
}
