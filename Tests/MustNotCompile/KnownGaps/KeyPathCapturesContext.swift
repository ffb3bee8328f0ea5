// The same with a context that was made hashable.
// stops: was used outside of

public import Duramen

extension ManagedObjectContext: @retroactive Equatable, @retroactive Hashable {
    public static func == (a: ManagedObjectContext, b: ManagedObjectContext) -> Bool { a === b }
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

private struct Holder: Sendable {
    subscript(context: ManagedObjectContext) -> Int { context.insertedObjects.count }
}

func gapKeyPathCapturesContext(_ world: World) async throws {
    let path = await world.background.perform { context in \Holder[context] }
    print(Holder()[keyPath: path])
}
