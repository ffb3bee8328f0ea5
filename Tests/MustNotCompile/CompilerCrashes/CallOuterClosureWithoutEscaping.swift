// A closure of the caller is made escaping for a while, in perform.

import Duramen

func f(_ background: BackgroundContext, _ body: (Quake) -> Void) async {
    await background.perform { context in
        withoutActuallyEscaping(body) { $0(Quake(context: context)) }
    }
}
