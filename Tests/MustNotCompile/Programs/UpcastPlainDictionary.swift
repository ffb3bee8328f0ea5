// Swift: a dictionary of Any does not convert to one of Sendable values.
// expected: type 'Any' does not conform to the 'Sendable' protocol

import Duramen

#if TWIN
private func f(_ d: [String: Any]) -> [String: any Sendable] { d.mapValues { "\($0)" } }
#else
private func f(_ d: [String: Any]) -> [String: any Sendable] { d as [String: any Sendable] }
#endif
