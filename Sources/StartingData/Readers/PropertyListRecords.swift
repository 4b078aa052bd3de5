/// The records of an array in a property list.
enum PropertyListRecords {
    /// Of one in XML form: values that Foundation has made.
    case values([Any])
    /// Of one in binary form: the numbers of its objects.
    case objects([Int], BinaryPropertyList)

    /// How many records there are.
    var count: Int {
        switch self {
        case .values(let values): values.count
        case .objects(let numbers, _): numbers.count
        }
    }

    /// The record at an index.
    func record(at index: Int) throws(BinaryPropertyList.Fault) -> OwnedValue {
        switch self {
        case .values(let values):
            guard let value = OwnedValue(propertyList: values[index]) else {
                throw BinaryPropertyList.Fault(message: "a value that no record can hold")
            }
            return value
        case .objects(let numbers, let list):
            return try list.value(of: numbers[index])
        }
    }
}
