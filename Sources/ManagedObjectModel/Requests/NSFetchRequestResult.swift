import FoundationSupplement

/// What a fetch request may return: managed objects, object IDs, dictionaries and numbers.
@_marker public protocol NSFetchRequestResult: AnyObject {}

extension NSNumber: NSFetchRequestResult {}
extension NSDictionary: NSFetchRequestResult {}
