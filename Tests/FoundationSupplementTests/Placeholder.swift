import Testing
@testable import FoundationSupplement
