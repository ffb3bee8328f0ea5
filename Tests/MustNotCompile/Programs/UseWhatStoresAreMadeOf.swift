// An application names a type that only writers of stores need.
// expected: cannot find type 'ChangeSet' in scope

import Duramen

#if TWIN
import DuramenStore
#endif

func countChanges(_ changes: ChangeSet) -> Int { changes.updates.count }
