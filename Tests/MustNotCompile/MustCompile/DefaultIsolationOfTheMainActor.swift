// Default isolation MainActor with managed class.
// flags: -default-isolation MainActor

import Duramen
import DuramenMacros

@Managed private nonisolated final class Wave: ManagedObject { var code: String = "" }
@MainActor private func f(_ c: PersistentContainer) throws {
    Wave(context: c.viewContext).code = "x"; try c.viewContext.save()
}
