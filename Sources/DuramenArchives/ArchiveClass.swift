/// The Foundation classes whose objects can be read and written.
enum ArchiveClass: String, CaseIterable {
    case null = "NSNull"
    case string = "NSString"
    case mutableString = "NSMutableString"
    case decimal = "NSDecimalNumber"
    case date = "NSDate"
    case data = "NSData"
    case mutableData = "NSMutableData"
    case uuid = "NSUUID"
    case url = "NSURL"
    case array = "NSArray"
    case mutableArray = "NSMutableArray"
    case set = "NSSet"
    case mutableSet = "NSMutableSet"
    case orderedSet = "NSOrderedSet"
    case mutableOrderedSet = "NSMutableOrderedSet"
    case dictionary = "NSDictionary"
    case mutableDictionary = "NSMutableDictionary"

    /// The superclasses, nearest first.
    var superclassNames: [String] {
        switch self {
        case .mutableString: ["NSString", "NSObject"]
        case .decimal: ["NSNumber", "NSValue", "NSObject"]
        case .mutableData: ["NSData", "NSObject"]
        case .mutableArray: ["NSArray", "NSObject"]
        case .mutableSet: ["NSSet", "NSObject"]
        case .mutableOrderedSet: ["NSOrderedSet", "NSObject"]
        case .mutableDictionary: ["NSDictionary", "NSObject"]
        default: ["NSObject"]
        }
    }
}
