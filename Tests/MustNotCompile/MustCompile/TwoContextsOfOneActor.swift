// Two contexts in one actor.

import Duramen

private actor Both {
    let a: ManagedObjectContext, b: ManagedObjectContext;
    init(_ p: PersistentContainer) { a = p.makeContext(); b = p.makeContext() }
    func move(_ id: ManagedObjectID) throws {
        let q = try a.existingObject(with: id, as: Quake.self); let n = Quake(context: b);
        n.code = q.code; try b.save()
    }
}
