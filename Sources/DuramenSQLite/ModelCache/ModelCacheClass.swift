/// The classes of the objects in a model cache.
enum ModelCacheClass: String, CaseIterable {
    case model = "NSManagedObjectModel"
    case entity = "NSEntityDescription"
    case attribute = "NSAttributeDescription"
    case derivedAttribute = "NSDerivedAttributeDescription"
    case relationship = "NSRelationshipDescription"
    case fetchedProperty = "NSFetchedPropertyDescription"
    case fetchRequest = "NSFetchRequest"
    case sortDescriptor = "NSSortDescriptor"
    case fetchIndex = "NSFetchIndexDescription"
    case fetchIndexElement = "NSFetchIndexElementDescription"
    case knownKeysDictionary = "NSKnownKeysDictionary1"
    case knownKeysMapping = "NSKnownKeysMappingStrategy1"

    case comparisonPredicate = "NSComparisonPredicate"
    case compoundPredicate = "NSCompoundPredicate"
    case comparisonOperator = "NSComparisonPredicateOperator"
    case equalityOperator = "NSEqualityPredicateOperator"
    case inOperator = "NSInPredicateOperator"
    case selfExpression = "NSSelfExpression"
    case variableExpression = "NSVariableExpression"
    case constantExpression = "NSConstantValueExpression"
    case keyPathExpression = "NSKeyPathExpression"
    case keyPathSpecifier = "NSKeyPathSpecifierExpression"
    case functionExpression = "NSFunctionExpression"

    case array = "NSArray"
    case mutableArray = "NSMutableArray"
    case dictionary = "NSDictionary"
    case mutableDictionary = "NSMutableDictionary"
    case set = "NSSet"
    case date = "NSDate"
    case decimal = "NSDecimalNumber"
    case uuid = "NSUUID"
    case url = "NSURL"

    /// The name of the class and those of its superclasses, the nearest first.
    ///
    /// They are those of known caches. No cache has a date, a decimal number, a UUID or a URL:
    /// their classes are those of archived attribute values.
    var hierarchy: [String] { [rawValue] + superclassNames + ["NSObject"] }

    private var superclassNames: [String] {
        switch self {
        case .attribute, .relationship, .fetchedProperty: ["NSPropertyDescription"]
        case .derivedAttribute: ["NSAttributeDescription", "NSPropertyDescription"]
        case .fetchRequest: ["NSPersistentStoreRequest"]
        case .knownKeysDictionary:
            ["NSKnownKeysDictionary", "NSMutableDictionary", "NSDictionary"]
        case .knownKeysMapping: ["NSKnownKeysMappingStrategy"]
        case .comparisonPredicate, .compoundPredicate: ["NSPredicate"]
        case .comparisonOperator, .equalityOperator, .inOperator: ["NSPredicateOperator"]
        case .selfExpression, .variableExpression, .constantExpression, .keyPathSpecifier,
            .functionExpression:
            ["NSExpression"]
        case .keyPathExpression: ["NSFunctionExpression", "NSExpression"]
        case .mutableArray: ["NSArray"]
        case .mutableDictionary: ["NSDictionary"]
        case .decimal: ["NSNumber", "NSValue"]
        case .model, .entity, .sortDescriptor, .fetchIndex, .fetchIndexElement, .array,
            .dictionary, .set, .date, .uuid, .url:
            []
        }
    }
}
