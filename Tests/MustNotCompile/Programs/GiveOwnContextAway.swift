// An actor gives away the context that it keeps.
// expected: sending 'x' risks causing data races
// differs: in one statement of several lines

import Duramen

private actor A {
    var c: ManagedObjectContext?;
    func give() -> sending ManagedObjectContext? {
        #if TWIN
        _ = c.take()
        return nil
        #else
        let x = c.take()
        return x
        #endif
    }
}
