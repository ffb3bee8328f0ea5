// A method of a view-context object is run in a background context.
// expected: sending value of non-Sendable type '.*' risks causing data races

import Duramen

extension Region {
    fileprivate func takeOver(_ context: ManagedObjectContext) { name = context.name ?? "" }
    fileprivate static func name(in context: ManagedObjectContext) {}
}

@MainActor
func passMethodOfViewObjectToPerform(_ background: BackgroundContext, region: Region) async {
    #if TWIN
    await background.perform(Region.name(in:))
    #else
    await background.perform(region.takeOver)
    #endif
}
