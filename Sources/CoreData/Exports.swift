@_exported import FoundationSupplement
@_exported import ManagedObjectModel
