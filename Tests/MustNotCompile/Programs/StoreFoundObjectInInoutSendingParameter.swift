// A found object is stored in an inout sending parameter.
// expected: 'inout sending' parameter 'q' cannot be task-isolated at end of function

import Duramen

#if TWIN
private func f(_ qs: [Quake], _ q: inout sending Quake?) { q = nil; _ = qs }
#else
private func f(_ qs: [Quake], _ q: inout sending Quake?) { q = qs.first { $0.magnitude > 1 } }
#endif
