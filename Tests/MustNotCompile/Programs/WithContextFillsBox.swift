// withContext stores an object in a captured box.
// expected: capture of 'box' with non-Sendable type 'Box' in a '@Sendable' closure
// differs: in one statement of several lines

import Duramen

private func f(_ b: BackgroundContext) async {
    #if TWIN
    await b.withContext { c in
        let box = Box()
        box.quake = Quake(context: c)
    }
    #else
    let box = Box()
    await b.withContext { c in box.quake = Quake(context: c) };
    print(box.quake as Any)
    #endif
}
