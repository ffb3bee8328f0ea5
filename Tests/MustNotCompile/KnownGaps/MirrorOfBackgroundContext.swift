// Reflection looks for the context of a background context, and does not find it.
// stops: reached nothing

import Duramen

func gapMirrorOfBackgroundContext(_ world: World) async throws {
    let children = Mirror(reflecting: world.background).children
    for child in children where child.value is ManagedObjectContext { print("found") }
    dump(world.background)
    fatalError("reached nothing")
}
