// A context is sent that an array holds too.
// expected: sending 'a' risks causing data races

import Duramen

private func use(_ c: sending ManagedObjectContext) async {}
private func f(_ c: PersistentContainer) async throws {
    #if TWIN
    let a = c.makeContext(), b = c.makeContext(); let all = [b]
    #else
    let a = c.makeContext(), b = c.makeContext(); let all = [a, b]
    #endif
    await use(a); try b.save(); print(all.count)
}
