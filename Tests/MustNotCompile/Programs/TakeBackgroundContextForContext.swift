// A background context is used as if it were its context.
// expected: cannot convert value of type 'BackgroundContext' to specified type 'ManagedObjectContext'

import Duramen

func takeBackgroundContextForContext(_ container: PersistentContainer) {
    #if TWIN
    let context: BackgroundContext = container.newBackgroundContext()
    #else
    let context: ManagedObjectContext = container.newBackgroundContext()
    #endif
    print(context)
}
