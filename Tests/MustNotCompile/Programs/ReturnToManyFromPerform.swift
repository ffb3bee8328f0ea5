// A to-many is returned from `perform`.
// expected: conformance of 'ToMany<Element>' to 'Sendable' is unavailable: .*pass objectIDs

import Duramen

func returnToManyFromPerform(_ background: BackgroundContext) async {
    _ = await background.perform { context in
        let region = Region(context: context)
        #if TWIN
        return region.quakes.objectIDs
        #else
        return region.quakes
        #endif
    }
}
