// `perform` is given a function that returns an object.
// expected: conformance of 'ManagedObject' to 'Sendable' is unavailable: .*pass the objectID

import Duramen

private func firstQuake(in context: ManagedObjectContext) -> Quake { Quake(context: context) }

func returnObjectFromFunctionValue(_ background: BackgroundContext) async {
    #if TWIN
    _ = await background.perform { firstQuake(in: $0).objectID }
    #else
    _ = await background.perform(firstQuake)
    #endif
}
