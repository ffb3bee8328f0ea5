// A cache that is shared by all holds objects.
// expected: static property 'quakes' is not concurrency-safe because non-'Sendable' type 'NSCache<NSSt

import Duramen
import Foundation

#if TWIN
private enum Caches { @MainActor static let quakes = NSCache<NSString, Quake>() }
#else
private enum Caches { static let quakes = NSCache<NSString, Quake>() }
#endif
