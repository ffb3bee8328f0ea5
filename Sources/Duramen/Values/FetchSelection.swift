import DuramenModel
import DuramenQuery

/// A request for some properties of objects, as tuples; see ``FetchRequest/select(_:)``.
public struct FetchSelection<Object: ManagedObject, each Property: SelectableProperty>: Sendable {
    /// The request for the objects.
    public var request: FetchRequest<Object>
    /// The names of the properties. Nil for the object's ID; a description for key paths of other
    /// properties.
    @usableFromInline let names: [String?]

    @usableFromInline init(_ request: FetchRequest<Object>, names: [String?]) {
        self.request = request
        self.names = names
    }
}

extension FetchRequest {
    /// Returns a request for some properties, as the elements of a tuple. Attributes are values,
    /// to-ones and to-manys are IDs, and `\.objectID` is the object's ID.
    ///
    /// ```swift
    /// for (code, magnitude) in try await container.fetch(
    ///     FetchRequest<Quake>().select(\.code, \.magnitude)) { … }
    /// ```
    /// Only these properties are loaded, if the store can leave out the others.
    public func select<each Property: SelectableProperty>(
        _ keyPath: repeat KeyPath<Object, each Property>
    ) -> FetchSelection<Object, repeat each Property> {
        var names: [String?] = []
        for keyPath in repeat each keyPath { names.append(Self.selectedName(keyPath)) }
        return FetchSelection(self, names: names)
    }

    // Separate from `select`, because a key path of a generic root crashes in a function with a
    // parameter pack (6.3).
    private static func selectedName(_ keyPath: AnyKeyPath) -> String? {
        if keyPath == \Object.objectID { return nil }
        return Object.propertyName(for: keyPath) ?? "\(keyPath)"
    }
}

extension PersistentContainer {
    /// Fetches properties directly from the rows of the newest state of the store, without a
    /// context; see `fetch(_:_:)`.
    ///
    /// - Throws: The errors of `fetch(_:_:)`, and ``ContextError`` `.unknownName` if a key path is
    ///   not a stored property of the entity.
    @inlinable
    public func fetch<Object: ManagedObject, each Property: SelectableProperty>(
        _ selection: FetchSelection<Object, repeat each Property>
    ) async throws -> [(repeat (each Property).Selected)] {
        try await ValuesFetch(ErasedFetchRequest(selection.request), persistentStoreCoordinator)
            .run { try $0.all(selection) }
    }

    /// Fetches properties and blocks the thread meanwhile; the asynchronous form is `fetch`.
    @inlinable
    public func fetchAndWait<Object: ManagedObject, each Property: SelectableProperty>(
        _ selection: FetchSelection<Object, repeat each Property>
    ) throws -> [(repeat (each Property).Selected)] {
        try ValuesFetch(ErasedFetchRequest(selection.request), persistentStoreCoordinator)
            .all(selection)
    }
}

extension ValuesFetch {
    @inlinable
    func all<Object: ManagedObject, each Property: SelectableProperty>(
        _ selection: FetchSelection<Object, repeat each Property>
    ) throws -> [(repeat (each Property).Selected)] {
        var kinds: [SelectedKind] = []
        for property in repeat (each Property).self { kinds.append(property.selectedKind) }
        let indexes = try indexes(of: selection.names, kinds)
        var result: [(repeat (each Property).Selected)] = []
        try forEachRow(
            of: selection.names.compactMap(\.self), toManys: indexes.toManys,
            allowsIncomplete: false
        ) { reader in
            var next = 0
            func index() -> Int {
                defer { next &+= 1 }
                return indexes.all[next]
            }
            result.append((repeat (each Property).selected(from: reader, at: index())))
        }
        return result
    }

    /// Returns the positions of selected properties in rows.
    ///
    /// - Returns: The slot of each property, or the index of a to-many; and the indices of the
    ///   to-manys.
    @usableFromInline
    func indexes(
        of names: [String?], _ kinds: [SelectedKind]
    ) throws -> (all: [Int], toManys: [Int]) {
        var all: [Int] = []
        var toManys: [Int] = []
        for (name, kind) in zip(names, kinds) {
            guard let index = index(of: name, kind) else {
                throw ContextError(
                    .unknownName,
                    "'\(name ?? "objectID")' cannot be selected: '\(entity.name)' has no stored property "
                        + "of that name and type. Use one of the model's.")
            }
            all.append(index)
            if kind == .toMany { toManys.append(index) }
        }
        return (all, toManys)
    }

    private func index(of name: String?, _ kind: SelectedKind) -> Int? {
        guard let name else { return kind == .objectID ? 0 : nil }
        if case .composite(let slotCount) = kind {
            let slots = entity.composite(named: name)?.slots
            return slots?.count == slotCount ? slots?.lowerBound : nil
        }
        switch (entity.property(named: name), kind) {
        case (.attribute(let attribute)?, .attribute(let type)):
            return SlotKind(type) == attribute.kind ? attribute.slot : nil
        case (.relationship(let relationship)?, .toOne): return relationship.slot
        case (.relationship(let relationship)?, .toMany): return relationship.storage.toManyIndex
        default: return nil
        }
    }
}
