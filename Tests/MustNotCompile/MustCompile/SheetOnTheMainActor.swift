// Child sheet on main.

import Duramen

@MainActor private func f(_ c: PersistentContainer, _ id: ManagedObjectID) throws {
    let s = ManagedObjectContext(parent: c.viewContext);
    try s.existingObject(with: id, as: Quake.self).note = "x"; try s.save()
}
