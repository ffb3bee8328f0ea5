import DuramenModel
import DuramenQuery

/// Some properties of the objects that a request asks for, as tuples; see
/// ``FetchRequest/select(_:)``.
public struct FetchSelection<Object: ManagedObject, each Property: SelectableProperty>: Sendable {
    /// The objects asked for.
    public var request: FetchRequest<Object>
    /// The names of the properties; nil for the object's ID, and a description where there is no
    /// such.
    @usableFromInline let names: [String?]

    @usableFromInline init(_ request: FetchRequest<Object>, names: [String?]) {
        self.request = request
        self.names = names
    }
}

extension FetchRequest {
    /// Fetches only some properties, as the elements of a tuple: attributes as values, to-ones and
    /// to-manys as IDs, and `\.objectID` as the object's ID.
    ///
    /// ```swift
    /// for (code, magnitude) in try await container.fetch(
    ///     FetchRequest<Quake>().select(\.code, \.magnitude)) { … }
    /// ```
    /// Only these properties are read, where the store can leave the others out.
    public func select<each Property: SelectableProperty>(
        _ keyPath: repeat KeyPath<Object, each Property>
    ) -> FetchSelection<Object, repeat each Property> {
        var names: [String?] = []
        for keyPath in repeat each keyPath { names.append(Self.selectedName(keyPath)) }
        return FetchSelection(self, names: names)
    }

    // Apart from `select`: a key path of a generic root crashes in a function with a parameter pack
    // (6.3).
    private static func selectedName(_ keyPath: AnyKeyPath) -> String? {
        if keyPath == \Object.objectID { return nil }
        return Object.propertyName(for: keyPath) ?? "\(keyPath)"
    }
}

extension PersistentContainer {
    /// Fetches properties straight from the rows of the newest state of the store, without a
    /// context; see ``fetch(_:_:)``.
    ///
    /// - Throws: Also `.unknownName` when a key path is no stored property of the entity.
    @inlinable
    public func fetch<Object: ManagedObject, each Property: SelectableProperty>(
        _ selection: FetchSelection<Object, repeat each Property>
    ) async throws -> [(repeat (each Property).Selected)] {
        try await ValuesFetch(ErasedFetchRequest(selection.request), persistentStoreCoordinator)
            .run { try $0.all(selection) }
    }

    /// Fetches properties and blocks the thread meanwhile. The asynchronous form is `fetch`.
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

    /// Where rows hold selected properties.
    ///
    /// - Returns: The slot or the number of each, and the numbers of the to-manys.
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
