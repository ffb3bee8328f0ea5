// A closure that holds an object is returned from `perform`.
// expected: type '\(\) -> \(\)' does not conform to the 'Sendable' protocol

import Duramen

func returnClosureFromPerform(_ background: BackgroundContext) async {
    _ = await background.perform { context in
        let quake = Quake(context: context)
        #if TWIN
        return { @Sendable [id = quake.objectID] in print(id) }
        #else
        return { print(quake.code) }
        #endif
    }
}
