/// The Foundation classes that archives of property values are made of.
enum PropertyClass: String {
    case array = "NSArray"
    case mutableArray = "NSMutableArray"
    case dictionary = "NSDictionary"
    case mutableDictionary = "NSMutableDictionary"
    case set = "NSSet"
    case mutableSet = "NSMutableSet"
    case orderedSet = "NSOrderedSet"
    case mutableOrderedSet = "NSMutableOrderedSet"
    case string = "NSString"
    case mutableString = "NSMutableString"
    case data = "NSData"
    case mutableData = "NSMutableData"
    case value = "NSValue"
    case number = "NSNumber"
    case decimalNumber = "NSDecimalNumber"
    /// Zero and not-a-number, on Apple's systems.
    case decimalNumberPlaceholder = "NSDecimalNumberPlaceholder"
    case date = "NSDate"
    case url = "NSURL"
    case uuid = "NSUUID"
    case null = "NSNull"

    var superclass: PropertyClass? {
        switch self {
        case .mutableArray: .array
        case .mutableDictionary: .dictionary
        case .mutableSet: .set
        case .mutableOrderedSet: .orderedSet
        case .mutableString: .string
        case .mutableData: .data
        case .number: .value
        case .decimalNumber: .number
        case .decimalNumberPlaceholder: .decimalNumber
        default: nil
        }
    }

    /// The class and those that it inherits from, as archives list them.
    var chain: [String] { [rawValue] + (superclass?.chain ?? ["NSObject"]) }
}
