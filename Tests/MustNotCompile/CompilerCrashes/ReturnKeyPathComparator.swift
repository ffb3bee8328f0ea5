// A comparator whose key path captures an object leaves perform.

import Duramen
import Foundation

func f(_ background: BackgroundContext) async throws {
    let comparator = await background.perform { context in
        let quake = Quake(context: context)
        struct Holder: Hashable { subscript(quake: Quake) -> String { quake.code } }
        return KeyPathComparator(\Holder[quake])
    }
    print(comparator)
}
