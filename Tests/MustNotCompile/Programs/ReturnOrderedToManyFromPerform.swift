// An ordered to-many is returned from `perform`.
// expected: conformance of 'OrderedToMany<Element>' to 'Sendable' is unavailable: .*pass objectIDs

import Duramen

func returnOrderedToManyFromPerform(_ background: BackgroundContext) async {
    _ = await background.perform { context in
        let songs: OrderedToMany<Quake> = Region(context: context).orderedToMany(at: 0)
        #if TWIN
        return songs.objectIDs
        #else
        return songs
        #endif
    }
}
